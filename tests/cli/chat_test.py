"""skald chat: in a pseudo-terminal, and with pipes."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time

import support

MODEL = support.DATA.parent.parent / "assets/skald-tiny.gguf"
F32 = ("-ctk", "f32", "-ctv", "f32")


class Terminal:
    """A chat in a pseudo-terminal; stderr goes to a file, or to the terminal as well. Each message is sent when the prompt has come."""

    def __init__(self, folder, *flags, home=None, columns=200, notes_shown=False, **env):
        self.notes_file = folder / "notes"
        self.ours, theirs = pty.openpty()
        attributes = termios.tcgetattr(theirs)
        termios.tcsetwinsize(theirs, (50, columns))
        termios.tcsetattr(theirs, termios.TCSANOW, attributes)
        environment = {**support.environment(), "TERM": "xterm", "XDG_STATE_HOME": str(home or folder / "state"), **env}
        with open(self.notes_file, "wb") as notes:
            self.process = subprocess.Popen([support.SKALD, "chat", *map(str, flags)], stdin=theirs, stdout=theirs, stderr=theirs if notes_shown else notes,
                                            env=environment, start_new_session=True,
                                            preexec_fn=lambda: __import__("fcntl").ioctl(0, termios.TIOCSCTTY, 0))
        os.close(theirs)
        self.output = b""
        self.wait_for_prompt()

    def read(self, seconds=0.1):
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.ours, 65536)
        except OSError:
            return False
        self.output += data
        return bool(data)

    def wait_until(self, holds, what):
        end = time.monotonic() + 60
        while not holds():
            if time.monotonic() > end or (self.process.poll() is not None and not self.read(0)):
                raise AssertionError(f"{what}: {self.output[-400:]!r}, {self.notes()[-400:]!r}")
            self.read()

    def wait_for_prompt(self):
        # Bracketed pastes are asked for just before the prompt.
        self.wait_until(lambda: re.search(rb"\x1b\[\?2004h[^\x1b]*[>.] $", re.sub(rb"\x1b\[(?!\?2004h)[0-9;?]*[A-Za-z]", b"", self.output)), "no prompt")

    def say(self, text):
        """What the terminal shows until the next prompt."""
        self.output = b""
        os.write(self.ours, text.encode() + b"\r")
        self.wait_until(lambda: b"\x1b[?2004l" in self.output, "the line was not taken")
        self.wait_for_prompt()
        shown = self.output.split(b"\x1b[?2004l", 1)[1].rsplit(b"\x1b[?2004h", 1)[0]
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode().replace("\r\n", "\n")).strip("\r\n")

    def notes(self):
        return self.notes_file.read_text()

    def end(self):
        os.write(self.ours, b"\x04")
        end = time.monotonic() + 60
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"goes on after Ctrl-D: {self.output[-400:]!r}")
            self.read()
        os.close(self.ours)
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Chat(support.CliTest):
    def prompt_ids(self, messages):
        r = self.ok("template", "-m", MODEL, "--chat-template", "chatml", "--messages", "-", "-o", "ids", stdin=json.dumps(messages).encode())
        return [int(x) for x in r.split()]

    def generated(self, ids, n, *flags):
        r = self.ok("run", "-m", MODEL, "--prompt-ids", support.comma(ids), "-n", n, "--print-ids", "--no-warmup", "-c", "8192", *flags)
        return [int(x) for x in r.split()]

    def saved(self, chat, folder):
        chat.say(f"/save! {folder / 'chat.json'}")
        return json.loads((folder / "chat.json").read_text())

    def test_computes_of_twenty_turns_only_what_the_cache_has_not(self):
        folder = self.new_folder()
        flags = ("--temp", "0", *F32)
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 8, "-c", 8192, *flags) as chat:
            cached = []
            for turn in range(20):
                before = self.saved(chat, folder)
                chat.say(f"Tell me number {turn} of the stories.")
                messages = self.saved(chat, folder)
                self.assertEqual(messages[:-1], before + [{"role": "user", "content": f"Tell me number {turn} of the stories."}])
                ids = self.prompt_ids(messages[:-1])
                common = next((i for i, (a, b) in enumerate(zip(ids, cached)) if a != b), min(len(ids), len(cached)))
                new, of = re.findall(r"prompt: (\d+) new of (\d+)", chat.notes())[-1]
                self.assertEqual(int(of), len(ids))
                self.assertEqual(int(new), len(ids) - min(common, len(ids) - 1), f"turn {turn}")
                answer = self.generated(ids, 8, *flags)
                self.assertEqual(messages[-1]["content"], self.ok("detokenize", "-m", MODEL, "--ids", support.comma(answer)).decode().rstrip("\n"))
                cached = ids + answer[:-1]
            self.assertEqual(chat.end(), 0)

    def test_answers_the_first_message_as_run_does(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 12, "-s", 5) as chat:
            shown = chat.say("Hello there")
            ids = self.prompt_ids([{"role": "user", "content": "Hello there"}])
            want = self.ok("run", "-m", MODEL, "--prompt-ids", support.comma(ids), "-n", "12", "-s", "5", "-c", "1024").decode().strip("\n")
            self.assertEqual(shown, want.strip())

    def test_regenerates_from_the_next_seed_and_edits(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 12, "-s", 5) as chat:
            first = chat.say("A story, please.")
            again = chat.say("/regen")
            self.assertRegex(chat.notes(), r"prompt: 1 new of")
            ids = self.prompt_ids([{"role": "user", "content": "A story, please."}])
            for seed, text in ((5, first), (6, again)):
                want = self.ok("run", "-m", MODEL, "--prompt-ids", support.comma(ids), "-n", "12", "-s", str(seed), "-c", "1024").decode()
                self.assertEqual(text, want.strip())
            chat.say("And more?")
            chat.say("/edit And less?")
            messages = self.saved(chat, folder)
            self.assertEqual([m["content"] for m in messages if m["role"] == "user"], ["A story, please.", "And less?"])
            new, of = map(int, re.findall(r"prompt: (\d+) new of (\d+)", chat.notes())[-1])
            self.assertLess(new, of - len(ids), "what stays is not computed again")

    def test_saves_over_no_file_and_loads(self):
        folder = self.new_folder()
        path = folder / "a.json"
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 4, "-sys", "Be short.") as chat:
            chat.say("Hi")
            chat.say(f"/save {path}")
            before = path.read_text()
            self.assertEqual([m["role"] for m in json.loads(before)], ["system", "user", "assistant"])
            chat.say("/clear")
            chat.say(f"/save {path}")
            self.assertIn("is there already", chat.notes())
            self.assertEqual(path.read_text(), before)
            chat.say(f"/save! {path}")
            self.assertEqual([m["role"] for m in json.loads(path.read_text())], ["system"])
            path.write_text(before)
            chat.say(f"/load {path}")
            chat.say("/tokens")
            self.assertIn("3 messages take", chat.notes())
            chat.say(f"/load {folder / 'none'}")
            self.assertIn("cannot be read", chat.notes())
            system = json.loads(before)[0]["content"]
            chat.say("/system")
            self.assertIn(system, chat.notes())
            chat.say(f"/save! {path}")
            self.assertEqual(path.read_text(), before, "a look changes nothing")
            chat.say('/system ""')
            chat.say(f"/save! {path}")
            self.assertEqual([m["role"] for m in json.loads(path.read_text())], ["user", "assistant"])

    def test_keeps_with_a_saved_chat_the_keys_of_its_tokens(self):
        folder = self.new_folder()
        path, keys = folder / "a.json", folder / "a.json.keys"
        flags = ("-m", MODEL, "--chat-template", "chatml", "-n", 8, "--temp", "0", "--ignore-eos", *F32)
        new = lambda chat: tuple(map(int, re.findall(r"prompt: (\d+) new of (\d+)", chat.notes())[-1]))
        with Terminal(folder, *flags) as chat:
            chat.say(f"/save {path}")
            self.assertFalse(keys.exists(), "nothing was answered")
            chat.say("Tom has a dog and a cat. " * 20)
            chat.say(f"/save! {path}")
            self.assertRegex(chat.notes(), rf"the keys of \d+ tokens are in {keys}")
            want = chat.say("And then?")
        with Terminal(folder, *flags) as chat:
            chat.say("Something else.")
            chat.say(f"/load {path}")
            self.assertEqual(chat.say("And then?"), want, "the same keys")
            first, all_tokens = new(chat)
            self.assertLess(first, 64 + 64, "no more than a page and the message")
            self.assertGreater(all_tokens, 256)
        good = keys.read_bytes()
        for content, other, why in ((good[:-1] + b"x", (), "the file is damaged"), (b"", (), "the file is damaged"), (good, ("-ctk", "q8_0"), "another"), (None, (), "there is no such file")):
            keys.unlink(missing_ok=True)
            if content is not None:
                keys.write_bytes(content)
            with Terminal(folder, *flags, *other, "--load", path) as chat:
                self.assertRegex(chat.notes(), rf"{keys}: .*{why}.*; the chat is read anew")
                chat.say("And then?")
                self.assertEqual(*new(chat))

    def test_goes_on_after_ctrl_c(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "--ignore-eos", "-c", 200000) as chat:
            chat.output = b""
            os.write(chat.ours, b"Tell me a story without end\r")
            chat.wait_until(lambda: len(chat.output) > 400, "no story")
            chat.output = b""
            os.write(chat.ours, b"\x03")
            chat.wait_for_prompt()
            self.assertIn("stopped by Ctrl-C", chat.notes())
            chat.output = b""
            os.write(chat.ours, b"half a line\x03")
            chat.wait_until(lambda: b"\x1b[?2004l" in chat.output, "not interrupted")
            chat.wait_for_prompt()
            chat.say("/params temp 0.5 top-k 7")
            self.assertIn("temp 0.5, top-k 7", chat.notes())
            for wrong, said in (("tempp 0", "there is no parameter tempp; did you mean temp?"), ("temp warm", "'warm' is not a number"), ("top-k", "top-k: want a value"),
                                ("top-p 2", "--top-p")):
                chat.say(f"/params {wrong}")
                self.assertIn(said, chat.notes())
                self.assertNotIn("following arguments", chat.notes())
            self.assertEqual(len(self.saved(chat, folder)), 2, "the answer so far is kept, the half line is not")
            self.assertEqual(chat.end(), 0)

    def test_takes_several_lines_and_pastes_as_one_message(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 3) as chat:
            chat.say("one \\")
            chat.say("two")
            chat.say('"""three')
            chat.say('four"""')
            chat.say("\x1b[200~five\rsix\x1b[201~")
            chat.say("//help is a word")
            said = [m["content"] for m in self.saved(chat, folder) if m["role"] == "user"]
            self.assertEqual(said, ["one \ntwo", "three\nfour", "five\nsix", "/help is a word"])
            chat.say("/nothing")
            self.assertIn("no such command: /nothing", chat.notes())
            chat.say("/help")
            for command in ("/system", "/clear", "/save", "/load", "/regen", "/edit", "/params", "/tokens"):
                self.assertIn(command, chat.notes())

    def edit(self, chat, shown, typed=b""):
        """/edit until the line that is shown has come, and Enter after what is typed."""
        chat.output = b""
        os.write(chat.ours, b"/edit\r")
        chat.wait_until(lambda: shown in chat.output, "no line to edit")
        chat.output = b""
        os.write(chat.ours, typed + b"\r")
        chat.wait_until(lambda: b"\x1b[?2004l" in chat.output, "the line was not taken")
        chat.wait_for_prompt()

    def test_edits_a_message_of_several_lines_as_one(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 2) as chat:
            said = lambda: [m["content"] for m in self.saved(chat, folder) if m["role"] == "user"]
            chat.say("\x1b[200~five\rsix\rseven\x1b[201~")
            self.edit(chat, b"seven", b"!")
            self.assertEqual(said(), ["five\nsix\nseven!"])
            self.edit(chat, b"seven!", b"\x01x")  # at its beginning
            self.assertEqual(said(), ["xfive\nsix\nseven!"])
            chat.say("/clear")
            for lines, message in ((['""""""quoted', 'more"""'], '"""quoted\nmore'), (['"""a line', 'and \\', '"""'], "a line\nand \\"),
                                   (["//help is a word"], "/help is a word")):
                for line in lines:
                    chat.say(line)
                self.assertEqual(said(), [message])
                self.edit(chat, message.split("\n")[-1].encode())
                self.assertEqual(said(), [message], "as it was")
                chat.say("/clear")

    def test_shows_prompts_and_where_sampling_comes_from(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 2, "--verbose-prompt", "--top-k", 7) as chat:
            self.assertIn("  top-k 7 (--top-k)\n  top-p 0.95 (default)\n", chat.notes())
            chat.say("Tom")
            ids = self.prompt_ids([{"role": "user", "content": "Tom"}])
            self.assertIn(f"prompt: {len(ids)} tokens\n", chat.notes())
            self.assertEqual([int(i) for i in re.findall(r"^ *(\d+) -> '", chat.notes(), re.MULTILINE)], ids)

    def test_of_a_pipe_ends_when_nobody_reads_the_answer(self):
        with subprocess.Popen([support.SKALD, "chat", "-m", MODEL, "--chat-template", "chatml", "--ignore-eos", "-c", "100000"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=False) as p:  # SIGPIPE stays ignored
            try:
                p.stdin.write(b"A story without end, please.")
                p.stdin.close()
                p.stdin = None
                p.stdout.read1(64)
                p.stdout.close()
                p.wait(timeout=30)
                self.assertEqual(p.returncode, 1)
                self.assertIn(b"standard output", p.stderr.read())
            finally:
                p.kill()

    def test_keeps_its_history_for_the_user_alone(self):
        folder = self.new_folder()
        history = folder / "state/skald/history"
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 2) as chat:
            chat.say("remember me")
        self.assertEqual(history.stat().st_mode & 0o777, 0o600)
        self.assertIn("remember", history.read_text())
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 2, "--no-history") as chat:
            chat.say("forget me")
        self.assertNotIn("forget", history.read_text())

    def test_leaves_the_oldest_turns_out_when_the_context_is_full(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 20, "-c", 256, "-sys", "Short.", "--temp", "0") as chat:
            for i in range(8):
                chat.say(f"Message {i} has some words.")
            messages = self.saved(chat, folder)
            self.assertEqual(messages[0], {"role": "system", "content": "Short."})
            self.assertEqual(messages[-2]["content"], "Message 7 has some words.")
            self.assertRegex(chat.notes(), r"the context is full: the oldest \d turns were left out")
            chat.say("word " * 500)
            self.assertRegex(chat.notes(), r"the message takes \d+ tokens .* the context has 256")
            self.assertEqual(self.saved(chat, folder)[-2]["content"], "Message 7 has some words.", "the message is taken back")

    def test_finds_its_keys_again_after_turns_were_left_out(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 8, "-c", 512, "--temp", "0") as chat:
            full = []
            for i in range(30):
                chat.say(f"Message {i} has some words.")
                full.append(chat.notes().count("left out"))
            after = full[full.index(1):]
            self.assertGreaterEqual(len(after), 3 * after[-1], "turns that read everything anew")

    def test_reads_text_files_in_front_of_the_next_message(self):
        folder = self.new_folder()
        (folder / "notes.txt").write_text("Tom has a dog.\n")
        (folder / "image").write_bytes(b"\x89PNG\0")
        (folder / "long").write_text("word " * 2000)
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 2, "-c", 512) as chat:
            chat.say(f"/read {folder / 'notes.txt'}")
            self.assertRegex(chat.notes(), rf"{folder / 'notes.txt'}: 15 B, \d+ tokens, in front of the next message")
            for path, why in ((folder, "is a directory"), (folder / "image", "is no text file: byte 0"), (folder / "none", "cannot be read: there is no such file"),
                              (folder / "long", r"takes \d+ tokens beside the \d+ of files before it, the context has 512")):
                chat.say(f"/read {path}")
                self.assertRegex(chat.notes(), f"skald: {path}: {why}")
            chat.say("Has he a cat?")
            chat.say("And a hat?")
            said = [m["content"] for m in self.saved(chat, folder) if m["role"] == "user"]
            self.assertEqual(said, [f"{folder / 'notes.txt'}:\n```\nTom has a dog.\n```\n\nHas he a cat?", "And a hat?"])
            chat.say(f"/read {folder / 'notes.txt'}")
            chat.say("/clear")
            chat.say("Hello")
            self.assertEqual(self.saved(chat, folder)[0]["content"], "Hello", "/clear forgets files as well")

    def test_completes_commands_and_files_at_tab(self):
        folder = self.new_folder()
        (folder / "tale.txt").write_text("Tom")
        (folder / "table").write_text("Tim")
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 2) as chat:
            chat.say(f"/rea\t{folder}/ta\tl\t")
            self.assertIn(f"{folder}/tale.txt: 3 B", chat.notes())
            chat.output = b""
            os.write(chat.ours, f"/load {folder}/t\t\t".encode())
            chat.wait_until(lambda: b"table  tale.txt" in chat.output, "no list")
            chat.say("\x15/cle\t")
            self.assertIn("all is forgotten", chat.notes())
            chat.say("a\tb")
            self.assertEqual(self.saved(chat, folder)[0]["content"], "a\tb", "within a message it is a tab")

    def test_breaks_lines_between_words_at_the_width_of_the_window(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "-n", 60, "-s", 3, "--ignore-eos", columns=30) as chat:
            for columns in (30, 50):
                termios.tcsetwinsize(chat.ours, (50, columns))
                shown = chat.say("A story, please.")
                answer = self.saved(chat, folder)[-1]["content"]
                self.assertEqual(shown.split(), answer.split(), "every word is whole")
                lines = shown.split("\n")
                self.assertLessEqual(max(map(len, lines)), columns)
                self.assertGreater(max(map(len, lines)), columns - 20, "the lines use the width")

    def test_breaks_notes_between_words_too(self):
        with Terminal(self.new_folder(), "-m", MODEL, "--chat-template", "chatml", columns=60, notes_shown=True) as chat:
            shown = chat.say("/help")
            self.assertIn("  /regen                       another answer to the last\n" + " " * 31 + "message\n", shown)
            self.assertLessEqual(max(map(len, shown.split("\n"))), 60)

    def test_leaves_code_as_it_is(self):
        folder = self.new_folder()
        code = "```\n" + "x = 'a  b' # " * 8 + "\n```\n"
        grammar = "root ::= " + json.dumps("So: " + "word " * 8 + "\n" + code + "and " * 12 + "so")
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "--grammar", grammar, columns=30) as chat:
            shown = chat.say("Go")
            self.assertEqual(shown.split("\n")[:2], ["So: word word word word word", "word word word"])
            self.assertIn(code, shown)
            self.assertTrue(shown.endswith("and and and and and and and\nand and and and and so"), shown)
        piped = support.skald("chat", "-m", MODEL, "--chat-template", "chatml", "--grammar", grammar, stdin=b"Go")
        self.assertEqual(piped.stdout.decode(), json.loads(grammar.removeprefix("root ::= ")) + "\n", "a pipe gets it byte for byte")

    def test_renders_markdown_where_it_is_asked_to(self):
        folder = self.new_folder()
        text = "# Head\n- a **bold** and `x_y`\n```\n**c**\n```\n2 * 3 * 4\n"
        flags = ("-m", MODEL, "--chat-template", "chatml", "--grammar", "root ::= " + json.dumps(text))
        for more, env, renders in ((("--render",), {"NO_COLOR": ""}, True), (("--render",), {"NO_COLOR": "1"}, False), ((), {"NO_COLOR": ""}, False)):
            with Terminal(folder, *flags, *more, **env) as chat:
                shown = chat.say("Go")
                if renders:
                    self.assertEqual(shown, "Head\n• a bold and x_y\n```\n**c**\n```\n2 * 3 * 4")
                    self.assertIn(b"\x1b[1mHead\x1b[0m", chat.output)
                    self.assertIn("• a \x1b[1mbold\x1b[0m and \x1b[36mx_y\x1b[0m".encode(), chat.output)
                else:
                    self.assertEqual(shown, text.strip())
        self.assertEqual(support.skald("chat", *flags, "--render", stdin=b"Go").stdout.decode(), text, "a pipe gets it byte for byte")

    def test_shows_control_characters_instead_of_sending_them(self):
        folder = self.new_folder()
        with Terminal(folder, "-m", MODEL, "--chat-template", "chatml", "--grammar", 'root ::= "a\\x1b[31mb"') as chat:
            chat.output = b""
            os.write(chat.ours, b"hi\r")
            chat.wait_until(lambda: b"x1b[31mb" in chat.output, "not shown")
            self.assertNotIn(b"\x1b[31m", chat.output)

    def test_of_a_pipe_answers_it_on_stdout(self):
        r = support.skald("chat", "-m", MODEL, "--chat-template", "chatml", "-n", "10", "-s", "1", stdin=b"hi\n")
        self.assertEqual(r.returncode, 0)
        ids = self.prompt_ids([{"role": "user", "content": "hi"}])
        want = self.ok("run", "-m", MODEL, "--prompt-ids", support.comma(ids), "-n", "10", "-s", "1", "-c", "1024")
        self.assertEqual(r.stdout.strip(), want.strip())
        self.assertNotIn(b"\x1b", r.stdout + r.stderr)

    def test_shows_thinking_apart_and_ends_it_at_its_budget(self):
        folder = self.new_folder()
        template = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{% if add_generation_prompt %}assistant: <think>\n{% endif %}"
        flags = ("-m", MODEL, "--chat-template", template, "-n", 30, "-s", 1, "--ignore-eos")
        with Terminal(folder, *flags, "--reasoning-budget", 5) as chat:
            shown = chat.say("Think.")
            thoughts, answer = re.fullmatch(r"(?s)\[thinking\]\n(.*)\[/thinking\]\n\n(.*)", shown).groups()
            self.assertTrue(thoughts.strip() and answer.strip())
            message = self.saved(chat, folder)[-1]
            self.assertEqual(message["content"].strip(), answer.strip())
            self.assertTrue(message["reasoning_content"])
            self.assertIn("30 tokens", chat.notes())
            chat.say("/fold")
            self.assertTrue(chat.say("And again.").startswith("[thinking ...]"))
        r = support.skald("chat", *flags, stdin=b"Think.")
        self.assertEqual(r.stdout.strip(), b"", "a pipe gets the answer alone, and there is none yet")

    def test_is_what_the_program_names_first_at_a_terminal(self):
        ours, theirs = pty.openpty()
        r = subprocess.run([support.SKALD], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=support.environment())
        said = os.read(ours, 65536).decode()
        os.close(theirs)
        os.close(ours)
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        self.assertIn("skald chat", said)
        self.assertLess(len(said.splitlines()), 12)
        self.assertEqual(support.skald().returncode, 2, "in a pipe it is wrong usage")

    def test_refuses_what_makes_no_sense_by_name(self):
        for flags, says in ((("--color", "pink"), "--color"), (("-p", "a", "-f", "b"), "-p and -f"), (("--chat-template", "nothing"), "nothing"),
                            (("--reasoning-budget", "-2"), "--reasoning-budget"), (("--tools", "/nowhere/x"), "/nowhere/x")):
            r = support.skald("chat", *flags, stdin=b"hi")
            self.assertIn(r.returncode, (1, 2), flags)
            self.assertIn(says, r.stderr.decode())
        self.assertEqual(support.skald("chat", stdin=b"").returncode, 2, "an empty message")


support.main()
