"""Planted falsehoods before every mark, and reasons why some are true after all."""
