"""What pyproject.toml cannot say: a build notes the identifier of its source tree."""

import runpy
import shutil
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
SOURCE = runpy.run_path(str(HERE / "orderproof/source_tree.py"))


def note(folder: str) -> None:
    """Write the identifier, where it is known, and a digest into the package in this folder."""
    found, path = SOURCE["of_folder"](HERE), Path(folder, SOURCE["NOTE"])
    path.unlink(missing_ok=True)  # of an earlier build, or a link to the one that is built from
    if found is not None:
        path.write_text(f"{found}\n{SOURCE['digest'](Path(folder))}\n", encoding="utf-8")


class BuildWithNote(build_py):
    """What a wheel holds."""

    def run(self) -> None:
        """Collect the package, and the note; what an earlier build left is not of it."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib, "orderproof"), ignore_errors=True)
        super().run()
        if not self.editable_mode:
            note(self.build_lib)


class SdistWithNote(sdist):
    """What a source distribution holds."""

    def make_release_tree(self, base_dir: str, files: Any) -> None:
        """Collect the files, and the note."""
        super().make_release_tree(base_dir, files)
        note(base_dir)


setup(cmdclass={"build_py": BuildWithNote, "sdist": SdistWithNote})
