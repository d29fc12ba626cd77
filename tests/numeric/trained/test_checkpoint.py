"""Reading a checkpoint: what is accepted, and that each damage gets its one line."""

import os
import subprocess
import sys

import numpy as np
import pytest

from orderproof.numeric.trained.checkpoint import (
    CheckpointError,
    load_checkpoint,
)

QUERY = "encoder.layer.1.attention.self.query.weight"
SENTENCE = ("[CLS]", "the", "cat", "chased", "the", "dog", "[SEP]")


def test_sizes_tensors_and_tokens_are_read(write_checkpoint):
    """If this fails, a sound checkpoint is misread; its saved padding must be off."""
    kept = {}
    checkpoint = load_checkpoint(write_checkpoint(edit=kept.update, seed=4))
    assert (checkpoint.config.hidden_size, checkpoint.config.num_attention_heads) == (12, 3)
    assert checkpoint.config.layer_norm_eps == 1e-12
    assert len(checkpoint.tensors) == 5 + 2 * 16
    assert checkpoint.tokenize("The cat chased the dog") == ((2, 5, 6, 8, 5, 7, 3), SENTENCE)


def test_every_naming_gives_the_same_tensors(write_checkpoint):
    """If this fails, the `bert.` prefix or TensorFlow's names lead to other tensors."""

    def rename(tensors):
        for name in [name for name in tensors if "LayerNorm" in name]:
            new = name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")
            tensors[new] = tensors.pop(name)

    plain, prefixed, renamed, other = (
        load_checkpoint(folder).tensors
        for folder in (
            write_checkpoint("plain"),
            write_checkpoint("prefixed", prefix="bert."),
            write_checkpoint("renamed", prefix="bert.", edit=rename),
            write_checkpoint("other", seed=1),
        )
    )
    for same in (prefixed, renamed):
        assert plain.keys() == same.keys()
        assert all(np.array_equal(plain[name], same[name]) for name in plain)
    assert not any(np.array_equal(plain[name], other[name]) for name in plain)


def remove(name):
    """A damage: the file is not there."""
    return lambda folder: (folder / name).unlink()


def put(name, data):
    """A damage: the file holds something else."""
    return lambda folder: (folder / name).write_bytes(data)


def cut(folder):
    """A damage: the second half of the tensors is lost."""
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (remove("config.json"), "config.json: given no such file"),
        (remove("model.safetensors"), "model.safetensors: given no such file"),
        (remove("tokenizer.json"), "tokenizer.json: given no such file"),
        (put("config.json", b"{"), "config.json: given what is not JSON"),
        (put("config.json", b"\xff\xfe\x00"), "config.json: given what is not JSON"),
        (put("config.json", b"[" * 100_000), "config.json: given what is not JSON"),
        (put("config.json", b"[]"), "config.json: given a list, expected an object"),
        (put("config.json", b"{}"), "config.json: given nothing as model_type, expected 'bert'"),
        (put("model.safetensors", b""), "model.safetensors: given what is not safetensors"),
        (put("model.safetensors", b"PK\x03\x04" * 99), "given what is not safetensors"),
        (cut, "model.safetensors: given what is not safetensors"),
        (put("tokenizer.json", b"{}"), "tokenizer.json: given no tokenizer"),
        (put("tokenizer.json", b"\x00"), "tokenizer.json: given no tokenizer"),
    ],
)
def test_a_damaged_folder_gets_one_line(write_checkpoint, damage, said):
    """If this fails, a damaged checkpoint is loaded, or its error is not one clear line."""
    folder = write_checkpoint()
    damage(folder)
    refused(folder, said)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "gpt2"}, "given 'gpt2' as model_type, expected 'bert'"),
        ({"hidden_act": "gelu_new"}, "given 'gelu_new' as hidden_act, expected 'gelu'"),
        ({"position_embedding_type": "relative_key"}, "as position_embedding_type, expected"),
        ({"is_decoder": True}, "given True as is_decoder, expected False"),
        ({"hidden_size": None}, "given None as hidden_size, expected a positive integer"),
        ({"hidden_size": True}, "given True as hidden_size, expected a positive integer"),
        ({"hidden_size": "12"}, "given '12' as hidden_size, expected a positive integer"),
        ({"num_hidden_layers": 0}, "given 0 as num_hidden_layers, expected a positive integer"),
        ({"num_hidden_layers": 10**15}, "given no tensor encoder.layer.2.attention.self.query"),
        ({"num_attention_heads": 5}, "given hidden_size 12, expected 5 equal heads"),
        ({"layer_norm_eps": float("nan")}, "given nan as layer_norm_eps, expected a positive"),
        ({"layer_norm_eps": True}, "given True as layer_norm_eps, expected a positive number"),
        ({"layer_norm_eps": -1}, "given -1 as layer_norm_eps, expected a positive number"),
        ({"intermediate_size": 21}, "intermediate.dense.weight (20, 12) of F32, expected (21, 12)"),
    ],
)
def test_a_configuration_of_another_kind_gets_one_line(write_checkpoint, config, said):
    """If this fails, weights are run through an architecture that they were not trained in."""
    refused(write_checkpoint(config=config), said)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda t: t.pop(QUERY), f"given no tensor {QUERY}, expected (12, 12)"),
        (lambda t: t.update({QUERY: t[QUERY][:5]}), f"{QUERY} (5, 12) of F32, expected (12, 12)"),
        (lambda t: t.update({QUERY: t[QUERY].astype(np.int32)}), "(12, 12) of I32, expected"),
    ],
)
def test_a_tensor_that_does_not_fit_gets_one_line(write_checkpoint, edit, said):
    """If this fails, a tensor that is missing, misshapen or of integers goes unnoticed."""
    refused(write_checkpoint(edit=edit), said)


def refused(folder, said):
    """The folder is refused, with one line that says `said` and names what was expected."""
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(folder)
    message = str(caught.value)
    assert said in message
    assert "given" in message
    assert "expected" in message
    assert "\n" not in message


def test_no_folder_gets_one_line(tmp_path):
    """If this fails, a mistyped path gives a traceback or a wrong complaint."""
    refused(tmp_path / "nowhere", "given no such folder, expected a folder")


@pytest.mark.parametrize("name", ["safetensors", "tokenizers"])
def test_a_missing_library_gets_one_line(write_checkpoint, monkeypatch, name):
    """If this fails, a user without the extra sees a traceback and not what to install."""
    folder = write_checkpoint()
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(CheckpointError, match=r"expected the extra: .*orderproof\[models\]") as e:
        load_checkpoint(folder)
    assert f"no library {name}," in str(e.value)
    assert "\n" not in str(e.value)


def imported(code):
    """The optional libraries that a fresh interpreter has loaded after running `code`."""
    report = "import sys; print(*{'safetensors', 'tokenizers', 'torch'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; {report}"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_importing_loads_no_optional_library():
    """If this fails, the command line needs the extra `models` just to start."""
    assert imported("import orderproof.numeric.trained.confirm") == []
    assert imported("import orderproof.numeric.trained.confirm, safetensors") == ["safetensors"]
