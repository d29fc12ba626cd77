"""The pages of toy theorems, and the Rocq development."""

from tests.check.conftest import library as library
from tests.pages import pages as pages
