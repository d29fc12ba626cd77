"""What each operator of ONNX means in the calculus, one file a family."""

from importlib import import_module
from pkgutil import iter_modules

for module in iter_modules(__path__, f"{__name__}."):
    import_module(module.name)  # it registers what it reads
