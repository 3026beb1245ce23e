"""Runs commands as pages show them, in a folder where the files that they name are, beside a hub and a server on this machine."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import control_vector_file
import convert_test
import hub_server
import support

ROOT = Path(__file__).resolve().parents[2]
STORIES = ROOT / "assets/skald-tiny.gguf"
REPO, LORA_REPO = "bartowski/Llama-3.2-1B-Instruct-GGUF", "jeeejeee/llama32-3b-text2sql-spider"
TEXT = "Once upon a time there was a small boat that nobody wanted. " * 60
MESSAGES = '[{"role": "user", "content": "Hi"}]'
# The vocabulary of a folder as small as convert_test's: 14 letters, one merge.
TOKENIZER = {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}, "decoder": {"type": "ByteLevel"},
             "model": {"type": "BPE", "vocab": {word: i for i, word in enumerate([*"abcdefghijklmno", "ab"])}, "merges": ["a b"]}}


def hugging_face_folder(path):
    path.mkdir()
    (path / "config.json").write_text(json.dumps(convert_test.CONFIG))
    (path / "model.safetensors").write_bytes(convert_test.safetensors(convert_test.TENSORS))
    (path / "tokenizer.json").write_text(json.dumps(TOKENIZER))


def adapter_folder(path, d=convert_test.CONFIG["hidden_size"]):
    """Of PEFT, for a model of that width with as many query heads."""
    path.mkdir()
    (path / "adapter_config.json").write_text(json.dumps({**convert_test.ADAPTER, "lora_alpha": 0.1}))
    (path / "adapter_model.safetensors").write_bytes(convert_test.safetensors(convert_test.adapter_tensors(d)))


def adapter_repository():
    """Of the story model."""
    with tempfile.TemporaryDirectory() as folder:
        adapter_folder(Path(folder) / "peft", 256)
        return {file.name: file.read_bytes() for file in (Path(folder) / "peft").iterdir()}


def adapter_file(path):
    """Of the story model."""
    with tempfile.TemporaryDirectory() as folder:
        adapter_folder(Path(folder) / "peft", 256)
        support.skald("convert", Path(folder) / "peft", path, "--base", STORIES)


def shards_of(model):
    """Three, of which the path is the first."""
    return lambda path: support.skald("split", model, str(path).removesuffix("-00001-of-00003.gguf"), "--split-max-tensors", 7)


def models(path):
    path.mkdir()
    shutil.copy(STORIES, path / "story.gguf")


def copy_of(source):
    return lambda path: shutil.copy(source, path)


def text(content):
    return lambda path: path.write_text(content)


def made_by(*command):
    """The command, with the path after it."""
    return lambda path: support.skald(*command, path, SKALD_CHUNKS="2")


F16 = support.DATA / "golden/llama_mha_f16/model.gguf"
FILES = {  # what commands read, and how it is made where no earlier command made it
    "model.gguf": copy_of(STORIES), "model-f16.gguf": copy_of(F16), "f16.gguf": copy_of(F16), "model-q4_0.gguf": copy_of(F16),
    "reranker.gguf": copy_of(support.DATA / "encoders/xlmrrank/model.gguf"), "models": models, "Llama-3.2-1B": hugging_face_folder,
    "my-lora": adapter_folder, "adapter.gguf": adapter_file,
    "model-00001-of-00003.gguf": shards_of(support.MODEL), "model-f16-00001-of-00003.gguf": shards_of(F16),
    "book.txt": text(TEXT), "text.txt": text(TEXT), "prompt.txt": text("Once upon a time"), "question.txt": text("Hi"),
    "calibration.txt": text(TEXT), "more.txt": text(TEXT), "texts.txt": text("A cat slept.\nA dog barked.\n"), "documents.txt": text("A panda eats.\nAn engine.\n"),
    "keys.txt": text("secret\n"), "ids.txt": text(" ".join(str(i) for i in range(1, 33))), "chat.json": text(MESSAGES), "tools.json": text('[{"name": "now"}]'),
    "requests.jsonl": text('{"custom_id": "a", "method": "POST", "url": "/v1/completions", "body": {"prompt": "Once", "max_tokens": 4}}\n'),
    "schema.json": text('{"type": "object"}'), "texts.jsonl": text('"1"\n'), "reply.txt": text('<tool_call>{"name": "now"}</tool_call>'),
    "template.jinja": copy_of(ROOT / "src/text/chat/templates/chatml.jinja"),
    "logits.npy": made_by("logits", "--ids", "1,5,9", "-o"), "imatrix.gguf": lambda path: support.skald(
        "imatrix", "-m", F16, "-o", path, "--chunks", 1, "-c", 64, "-f", "-", stdin=TEXT.encode()),
    "model.skald-index": lambda path: support.skald("calibrate", "-m", STORIES, "-o", path, "--chunks", 1, "-c", 64, "-f", "-", stdin=TEXT.encode()),
    "f16.bin": lambda path: support.skald("perplexity", "-m", F16, "-f", "-", "--chunks", 1, "-c", 64, "--save-reference", path, stdin=TEXT.encode()),
    "calm.gguf": control_vector_file.story_vector, "formal.gguf": control_vector_file.story_vector,
    "model-packed.gguf": copy_of(STORIES), "tools": lambda path: path.symlink_to(ROOT / "tools"), "assets": lambda path: path.symlink_to(ROOT / "assets"),
}


class Server:
    """`skald serve` as a command says it, but on any free port."""

    def __init__(self, command, folder, environment):
        command = re.sub(r"\s--port \d+", "", command).removesuffix("&") + " --port 0"
        self.process = subprocess.Popen(["bash", "-c", "exec " + command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        stdin=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise AssertionError(f"{command}: does not listen: {line}")
        where = line.removeprefix("listening on ").strip()
        self.port = where.rpartition(":")[2]
        # Asks until the model is loaded. Curl takes https without knowing who signed.
        address = f"--unix-socket {where.removeprefix('unix:')} http://localhost" if where.startswith("unix:") else where
        self.ask = f"for i in $(seq 200); do curl -fsSk {address}/health 2>&1 && exit; sleep 0.1; done; exit 1"

    def stop(self):
        """The exit code of a server that was told to end."""
        self.process.terminate()
        self.process.stdout.close()
        return self.process.wait(60)


class Runner:
    def __init__(self, environment):
        """`environment`: of all commands, beside what keeps them on this machine."""
        self.hub = hub_server.Hub({REPO: {f"Llama-3.2-1B-Instruct-{t}.gguf": support.MODEL.read_bytes() for t in ("Q4_K_M", "Q6_K", "Q8_0")},
                                   LORA_REPO: adapter_repository()})
        self.programs = tempfile.TemporaryDirectory()
        os.symlink(Path(support.SKALD).resolve(), Path(self.programs.name) / "skald")
        os.symlink(sys.executable, Path(self.programs.name) / "python")
        self.environment = {**support.environment(), "PATH": f"{self.programs.name}:{os.environ['PATH']}", "HF_ENDPOINT": self.hub.url, "HF_TOKEN": "",
                            "HF_HUB_CACHE": "", "HF_HUB_OFFLINE": "", "SKALD_THREADS": "1", **environment}
        self.server = None

    def close(self):
        self.end_server()
        self.hub.close()
        self.programs.cleanup()

    def end_server(self):
        if self.server:
            self.server.stop()
            self.server = None

    def add_files(self, command, folder):
        """Those that the command names and that are not there, unless it writes them."""
        written = re.findall(r"(?:> ?|-o |--save\S* )(\S+)", command)
        for word in re.findall(r"[\w./-]+", command):
            name = word.split("/")[0] if word.split("/")[0] in FILES else word
            if name in FILES and name not in written and not (folder / name).exists():
                FILES[name](folder / name)

    def run(self, command, folder, environment=None):
        """The exit code, what it prints, and what it says. A server goes on until the next one."""
        self.add_files(command, folder)
        environment = {**self.environment, "HF_HOME": str(folder / "hub"), **(environment or {})}
        if command.startswith("skald serve"):
            self.end_server()
            self.server = Server(command, folder, environment)
            command = self.server.ask
        if self.server:
            command = re.sub(r"(127\.0\.0\.1|localhost):8080", rf"\1:{self.server.port}", command)
        r = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, input=b"Hi", capture_output=True, timeout=120, check=False)
        return r.returncode, r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace")
