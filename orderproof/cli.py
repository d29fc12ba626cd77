"""The entry point. It imports as little as it can: an interruption counts from here on."""

from orderproof import interruption


def main() -> None:
    """The command line, which an interruption ends at any moment."""
    interruption.guarded(_run)


def _run() -> None:
    from orderproof.command_line import main

    main()


if __name__ == "__main__":
    main()
