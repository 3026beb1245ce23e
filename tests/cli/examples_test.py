"""The examples that --help shows run as they are written there, on small models. What would take long is made smaller, not left out."""
import re
import shutil
from functools import cache

import support
from doc_runner import Runner

# The most that is asked for: larger numbers of a flag are made this small.
MOST = {"-n": 16, "-p": 16, "-d": 64, "-B": 4, "-r": 1, "-c": 512, "--lengths": 256, "--layers": 1, "--vocab": 1000, "-t": 1, "-tb": 1, "-ub": 64,
        "--stride": 64, "--batch": 16, "--concurrency": 2, "--requests": 4}
SMALL = {"SKALD_PREDICT": "8", "SKALD_N_GEN": "2", "SKALD_REPETITIONS": "1", "SKALD_ROOFLINE_SECONDS": "0.01", "SKALD_VOCAB": "1000",
         "SKALD_CASES": "1", "SKALD_CHUNKS": "1", "SKALD_CTX_SIZE": "512", "SKALD_YES": "1"}
SMALLER_TEXTS = (("0-15", "0"), (" --mlock", ""), ("llama-2-7b", "stories-15m"), ("--lengths 0", "--lengths 256"), ("--rate 0.5,1,2,inf", "--rate 20,inf"))
NOT_RUN = {  # example: why it cannot run here
    "skald bench serve --url https://example.org/v1 --model some-model --api-key KEY -f prompts.jsonl -o json": "it is about a server elsewhere",
    "skald run -m model.gguf --messages chat.json --tools tools.json --tool-choice required -o json": "the story model has no form of calls; run_chat_test has",
}
OF_COMMANDS = {("bench",): {"SKALD_N_PROMPT": "16"}, ("eval",): {"SKALD_LENGTHS": "256"}, ("bench", "attention"): {"SKALD_LENGTHS": "64"}, ("rerank",): {"SKALD_CTX_SIZE": ""},
               ("bench", "serve"): {"SKALD_N_PROMPT": "8", "SKALD_N_GEN": "2", "SKALD_REQUESTS": "4"}, ("batch",): {"SKALD_CTX_SIZE": "", "SKALD_THREADS": ""}}


def shrunk(flag, value):
    """The value of a flag, with numbers that are not above the most."""
    parts = re.split(r"(,|\.\.)", value)
    small = [str(MOST[flag]) if re.fullmatch(r"\d+k?", part) and number(part) > MOST[flag] else part for part in parts]
    return ",".join(dict.fromkeys(part for part in small if part not in (",", "..")))


def number(text):
    return int(text.removesuffix("k")) * (1024 if text.endswith("k") else 1)


def smaller(example):
    if not re.search(r"skald (bench|eval|run|chat|profile|embed|logits|perplexity|imatrix|calibrate|synth|serve|quantize|graph|kv-size)", example):
        return example
    for flag in MOST:
        example = re.sub(rf"(?<=\s){flag} (\d[\w.,]*)", lambda m, flag=flag: f"{flag} {shrunk(flag, m[1])}", example)
    for old, new in SMALLER_TEXTS:
        example = example.replace(old, new)
    return re.sub(r"(--shape \S+)", r"\1 --layers 1", example)


@cache
def examples():
    """(command, example) of all."""
    found, commands = [], [()]
    for command in commands:
        text = support.skald(*command, "--help").stdout.decode()
        listed = re.search(r"Subcommands:\n((?:  .*\n)+)", text)
        commands += [(*command, line.split()[0]) for line in listed[1].splitlines()] if listed else []
        found += [(command, line.strip()) for line in text.partition("\nExamples:\n")[2].splitlines() if line.strip()]
    return found


def missing_program(example):
    """The name of a program of the line that is not on this machine."""
    programs = [segment.split()[0] for segment in re.split(r"\||&&", re.sub(r"'[^']*'|\"[^\"]*\"", "x", example)) if segment.strip()]
    return next((name for name in programs if re.fullmatch(r"[a-z]+", name) and name not in ("skald", "source", "echo") and not shutil.which(name)), None)


class Examples(support.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.runner = Runner(SMALL)
        cls.addClassCleanup(cls.runner.close)

    def run_example(self, command, example):
        folder = self.new_folder()
        if command[0] in ("rm", "list") or re.search(r"run .*Llama-3.2-1B-Instruct", example):  # want a model in the cache
            self.runner.run("skald pull bartowski/Llama-3.2-1B-Instruct-GGUF:Q8_0", folder)
        environment = OF_COMMANDS.get(command)
        if command in (("bench", "serve"), ("ps",)):
            environment = {**(environment or {}), "SKALD_URL": self.server_address(folder)}
        code, out, err = self.runner.run(smaller(example), folder, environment)
        self.assertEqual(code, 0, err)
        self.assertTrue(out or err or re.search(r" > | -o |<\(", example), "neither prints nor writes")

    def server_address(self, folder):
        """Of a new one: an earlier example's may ask for a key."""
        self.runner.run("skald serve -m model.gguf", folder)
        return f"http://127.0.0.1:{self.runner.server.port}"

    def test_run(self):
        ran = 0
        for command, example in examples():
            with self.subTest(example=example):
                if example in NOT_RUN:
                    continue
                if program := missing_program(example):
                    print(f"no {program}: not run: {example}")
                    continue
                self.run_example(command, example)
                ran += 1
        self.runner.end_server()
        self.assertGreater(ran, 80)

    def test_leaves_out_only_what_is_there(self):
        self.assertLessEqual(set(NOT_RUN), {example for _, example in examples()})


support.main()
