"""So that `python -m orderproof` is the command line."""

import signal

# An interruption ends the process until the command line is there, and comes too late once it is
# done: Python would print a traceback, of an import or of its own end.
python_handles = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if __name__ == "__main__" and python_handles:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from .cli import main  # noqa: E402

if __name__ == "__main__":
    if python_handles:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main()
    finally:
        if python_handles:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
