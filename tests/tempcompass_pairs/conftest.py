"""What the tests of TempCompass share."""

from tests.looking import looked_at_once  # noqa: F401
