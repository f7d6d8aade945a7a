"""Rules over documents and logs that serve any task of the harness, its own or a user's."""
