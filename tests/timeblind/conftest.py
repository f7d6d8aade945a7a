"""What the tests of TimeBlind share."""

from tests.looking import looked_at_once  # noqa: F401
