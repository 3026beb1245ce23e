"""Getting models: pull, list, rm and -hf, against a server on this machine that speaks the hub's API and does what goes wrong."""
import json
import os
import pty
import subprocess
import time
from email.utils import formatdate
from pathlib import Path

import convert_test
import hub_server
import support

SMALL = support.MODEL.read_bytes()
Q8, Q4 = SMALL, SMALL + b"\0" * 32  # of another sum
TOKEN = "hf_secret_token_0123"
COMMIT = hub_server.Hub.COMMIT


class HubTest(support.CliTest):
    def setUp(self):
        self.home = self.new_folder()
        self.cache = self.home / "hub"
        self.hub = self.new_hub({"me/tiny": {"tiny-Q8_0.gguf": Q8, "tiny-Q4_K_M.gguf": Q4, "README.md": b"hello"}})
        self.env = {"HF_ENDPOINT": self.hub.url, "HF_HOME": str(self.home), "HF_TOKEN": "", "HF_HUB_OFFLINE": "", "HF_HUB_CACHE": "", "HF_TOKEN_PATH": ""}

    def new_hub(self, repos=()):
        hub = hub_server.Hub(repos)
        self.addCleanup(hub.close)
        return hub

    def hubbed(self, *args, **env):
        stdin = env.pop("stdin", b"")
        return support.skald(*args, stdin=stdin, **{**self.env, **env})

    def pulls(self, *args, **env):
        """Gets, wants success, gives the path that stdout has."""
        r = self.hubbed("pull", *args, **env)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        self.assertEqual(r.stdout.count(b"\n"), 1)
        self.said = r.stderr.decode()
        return r.stdout.decode().rstrip("\n")

    def refused(self, *args, code=1, says=(), **env):
        self.fails(code, *args, says=says, **{**self.env, **env})

    def repo(self, name="me--tiny"):
        return self.cache / f"models--{name}"

    def blob(self, content, repo="me--tiny"):
        return self.repo(repo) / "blobs" / hub_server.sha256(content)

    def listed(self):
        return json.loads(self.hubbed("list", "-o", "json").stdout)


class Pull(HubTest):
    def test_gets_the_file_of_a_tag_into_the_cache(self):
        path = self.pulls("me/tiny:q8_0")
        self.assertEqual(path, str(self.repo() / "snapshots" / COMMIT / "tiny-Q8_0.gguf"))
        self.assertEqual(os.readlink(path), f"../../blobs/{hub_server.sha256(Q8)}")
        self.assertEqual(Path(path).read_bytes(), Q8)
        self.assertEqual((self.repo() / "refs/main").read_text(), COMMIT)
        self.assertIn("there are also Q4_K_M", self.said)
        self.assertFalse(self.blob(Q4).exists())
        self.assertEqual(list(self.repo().rglob("*.incomplete")) + list(self.repo().rglob("*.tmp-*")), [])

    def test_without_a_tag_takes_q4_k_m(self):
        self.assertTrue(self.pulls("me/tiny").endswith("tiny-Q4_K_M.gguf"))

    def test_takes_the_largest_that_fits(self):
        types = ("Q2_K", "Q3_K_M", "Q6_K", "Q8_0", "F16")  # each a little larger than the one before
        self.hub.repos["me/sizes"] = {f"m-{t}.gguf": SMALL + b"\0" * 32 * i for i, t in enumerate(types)}
        self.hub.sizes = {f"m-{t}.gguf": 1 << 49 for t in ("Q8_0", "F16")}
        self.assertTrue(self.pulls("me/sizes").endswith("m-Q6_K.gguf"))
        self.hub.sizes = {f"m-{t}.gguf": 1 << 49 for t in types}
        self.refused("pull", "me/sizes", says=("none of its types", "Q2_K"))

    def test_a_second_time_asks_for_no_content(self):
        first = self.pulls("me/tiny:Q8_0")
        self.hub.requests.clear()
        self.assertEqual(self.pulls("me/tiny:Q8_0"), first)
        self.assertEqual(self.hub.paths("/resolve/"), [])

    def test_offline_finds_what_is_there(self):
        path = self.pulls("me/tiny:Q8_0")
        self.hub.requests.clear()
        for args, env in ((("--offline",), {}), ((), {"HF_HUB_OFFLINE": "1"})):
            self.assertEqual(self.pulls("me/tiny:Q8_0", *args, **env), path)
            self.assertEqual(self.pulls("me/tiny", *args, **env), path)
            self.refused("pull", "me/tiny:Q4_K_M", *args, says="Q4_K_M", **env)
            self.refused("pull", "me/other", *args, says="me/other", **env)
        self.assertEqual(self.hub.requests, [])

    def test_gets_files_by_path_small_ones_with_gits_sum(self):
        self.hub.lfs_from = 1 << 30
        path = self.pulls("me/tiny/tiny-Q8_0.gguf")
        self.assertTrue(os.readlink(path).endswith("/" + hub_server.git_sum(Q8)))
        self.refused("pull", "me/tiny/none.gguf", says="none.gguf")

    def test_gets_a_revision(self):
        self.pulls("me/tiny:Q8_0", "--revision", "v1")
        self.assertEqual((self.repo() / "refs/v1").read_text(), COMMIT)
        self.assertFalse((self.repo() / "refs/main").exists())
        self.pulls("me/tiny:Q4_K_M", "--revision", COMMIT)
        self.assertFalse((self.repo() / "refs" / COMMIT).exists())
        self.refused("pull", "me/tiny", "--revision", "v9", says="Invalid rev id")
        self.refused("pull", "me/tiny", "--revision", "../x", code=2, says="revision")

    def test_gets_all_shards_and_leaves_projectors_out(self):
        folder = self.new_folder()
        self.ok("split", support.MODEL, folder / "big-Q8_0", "--split-max-tensors", 7)
        files = {f"Q8_0/{p.name}": p.read_bytes() for p in sorted(folder.iterdir())}
        self.assertEqual(len(files), 3)
        self.hub.repos["me/big"] = {**files, "mmproj-F16.gguf": b"p" * 100, "imatrix.gguf": b"i" * 100}
        path = self.pulls("me/big")
        self.assertTrue(path.endswith("Q8_0/big-Q8_0-00001-of-00003.gguf"))
        self.assertEqual(sorted(p.name for p in (self.repo("me--big") / "snapshots" / COMMIT / "Q8_0").iterdir()), sorted(p.name for p in folder.iterdir()))
        got = [p for p in self.hub.paths("/resolve/")]
        self.assertEqual(len(got), 3)
        want = self.ok("run", "-m", support.MODEL, "-p", "a", "-n", "5", "--temp", "0")
        self.assertEqual(self.hubbed("run", "me/big", "-p", "a", "-n", "5", "--temp", "0").stdout, want)
        del self.hub.repos["me/big"]["Q8_0/big-Q8_0-00002-of-00003.gguf"]
        self.refused("pull", "me/big", says="1 of 3 shards are missing")

    def test_reads_lists_of_several_pages(self):
        self.hub.repos["me/tiny"] = {**{f"other{i}.txt": b"x" for i in range(20)}, **self.hub.repos["me/tiny"]}
        self.hub.page = 3
        self.pulls("me/tiny:Q8_0")
        self.assertEqual(len(self.hub.paths("/tree/")), 8)

    def test_on_a_terminal_asks_before_what_it_chose(self):
        for answer, code in ((b"n\n", 1), (b"y\n", 0)):
            main, side = pty.openpty()
            p = subprocess.Popen([support.SKALD, "pull", "me/tiny"], stdin=side, stdout=subprocess.PIPE, stderr=side, env={**support.environment(), **self.env})
            os.close(side)
            os.write(main, answer)
            out, _ = p.communicate(timeout=60)
            text = b""
            try:
                while chunk := os.read(main, 4096):
                    text += chunk
            except OSError:
                pass
            os.close(main)
            self.assertEqual(p.returncode, code, text)
            self.assertIn(b"get 169", text)
            self.assertEqual(self.blob(Q4).exists(), code == 0)
        self.assertNotIn(b"%", text, "it is over too soon to tell how far it is")

    def test_says_no_progress_in_pipes(self):
        self.pulls("me/tiny:Q8_0")
        self.assertNotIn("%", self.said)
        self.assertNotIn("\r", self.said)


class Faults(HubTest):
    def fault(self, part, *actions):
        self.hub.faults[part] = list(actions)

    def ranges(self):
        return [headers.get("Range") for path, headers in self.hub.requests if "/resolve/" in path]

    def test_cuts_are_gone_on_from(self):
        self.fault("Q8_0.gguf", self.hub.cut(1000), self.hub.cut(500))
        path = self.pulls("me/tiny:Q8_0")
        self.assertEqual(Path(path).read_bytes(), Q8)
        self.assertEqual(self.ranges(), [None, "bytes=1000-", "bytes=1500-"])
        self.assertIn("trying again in 1 s", self.said)
        self.assertIn("trying again in 2 s", self.said)

    def test_the_next_run_goes_on_too(self):
        incomplete = self.blob(Q8).with_suffix(".incomplete")
        incomplete.parent.mkdir(parents=True)
        incomplete.write_bytes(Q8[:3000])
        self.pulls("me/tiny:Q8_0")
        self.assertEqual(self.ranges(), ["bytes=3000-"])
        self.assertFalse(incomplete.exists())

    def test_a_beginning_that_is_none_is_got_anew(self):
        incomplete = self.blob(Q8).with_suffix(".incomplete")
        incomplete.parent.mkdir(parents=True)
        incomplete.write_bytes(b"x" * 3000)
        self.assertEqual(Path(self.pulls("me/tiny:Q8_0")).read_bytes(), Q8)
        self.assertEqual(self.ranges(), ["bytes=3000-", None])

    def test_servers_without_ranges_begin_again(self):
        self.hub.ranges = False
        self.fault("Q8_0.gguf", self.hub.cut(1000))
        self.assertEqual(Path(self.pulls("me/tiny:Q8_0")).read_bytes(), Q8)

    def test_a_wrong_sum_leaves_nothing(self):
        wrong = Q8[:-1] + b"?"
        self.fault("Q8_0.gguf", self.hub.body(wrong))
        self.refused("pull", "me/tiny:Q8_0", says=("tiny-Q8_0.gguf", "sum", hub_server.sha256(Q8)))
        self.assertEqual([p for p in (self.repo() / "blobs").iterdir()], [])
        self.assertEqual(list((self.repo() / "snapshots").rglob("*.gguf")), [])
        self.assertFalse((self.repo() / "refs").exists())
        self.pulls("me/tiny:Q8_0")

    def test_more_bytes_than_there_are_are_refused(self):
        self.fault("Q8_0.gguf", self.hub.body(Q8 + b"more"))
        self.refused("pull", "me/tiny:Q8_0", says="more than")
        self.assertFalse(self.blob(Q8).exists())

    def test_a_range_that_was_not_asked_for_is_refused(self):
        self.fault("Q8_0.gguf", self.hub.cut(1000), lambda h: self.hub.answer(h, 206, Q8[5:], {"Content-Range": f"bytes 5-{len(Q8) - 1}/{len(Q8)}"}) or True)
        self.refused("pull", "me/tiny:Q8_0", says="bytes 5-")

    def test_429_waits_as_asked(self):
        self.fault("/revision/", self.hub.status(429, Retry_After="2"))
        start = time.monotonic()
        self.pulls("me/tiny:Q8_0")
        self.assertGreaterEqual(time.monotonic() - start, 2)
        self.assertIn("answers 429", self.said)
        self.fault("/revision/", self.hub.status(429, Retry_After=formatdate(time.time() + 1, usegmt=True)))
        self.pulls("me/tiny:Q8_0")
        self.fault("/revision/", self.hub.status(429, Retry_After="100000"))
        self.refused("pull", "me/tiny:Q8_0", says="100000 s")

    def test_5xx_is_tried_again(self):
        self.fault("/tree/", self.hub.status(503))
        self.fault("/resolve/", self.hub.status(500))
        self.pulls("me/tiny:Q8_0")

    def test_401_and_404_say_what_to_do(self):
        self.refused("pull", "me/none", says=("me/none", "404"))
        self.hub.token = TOKEN
        self.refused("pull", "me/tiny", says=("401", "HF_TOKEN"))
        self.refused("pull", "me/tiny", says=("401", "terms"), HF_TOKEN="hf_wrong")
        self.assertEqual(len(self.hub.requests), 3)

    def test_answers_that_are_none_are_refused(self):
        for body, says in ((b"not json", "JSON"), (b"{}", "sha"), (b'{"sha": "../../x"}', "sha"), (b'{"sha": 5}', "sha"), (b"[" * 5000, "deep"), (b" " * (17 << 20), "16 MiB")):
            self.fault("/revision/", self.hub.body(body))
            self.refused("pull", "me/tiny", says=says)
        for body in (b"{}", b"[5]", b'[{"type": "file"}]'):
            self.fault("/tree/", self.hub.body(body))
            self.refused("pull", "me/tiny", says="me/tiny")

    def test_lists_without_end_end(self):
        loop = self.hub.body(b"[]", Link=f'<{self.hub.url}/api/models/me/tiny/tree/{COMMIT}?cursor=0>; rel="next"')
        self.fault("/tree/", *[loop] * 1100)
        self.refused("pull", "me/tiny", says="pages")

    def test_a_disk_without_room_is_told_before_the_first_byte(self):
        self.hub.sizes = {"tiny-Q8_0.gguf": 1 << 49}
        self.refused("pull", "me/tiny:Q8_0", says="no space")
        self.assertEqual(self.hub.paths("/resolve/"), [])

    def test_two_at_once_get_a_content_once(self):
        self.fault("Q8_0.gguf", lambda h: time.sleep(1))
        both = [subprocess.Popen([support.SKALD, "pull", "me/tiny:Q8_0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**support.environment(), **self.env})
                for _ in range(2)]
        results = [p.communicate(timeout=60) for p in both]
        self.assertEqual([p.returncode for p in both], [0, 0], results)
        self.assertEqual(len(self.hub.paths("/resolve/")), 1)

    def interrupted(self, *command):
        """A command that gets the model, which is interrupted when the server stalls; what it says."""
        self.stalled = True
        self.fault("Q8_0.gguf", lambda h: self.stall(h))
        p = subprocess.Popen([support.SKALD, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**support.environment(), **self.env})
        end = time.monotonic() + 30
        while not (self.incomplete().exists() and self.incomplete().stat().st_size == 5000) and time.monotonic() < end:
            time.sleep(0.05)
        p.send_signal(2)
        out, said = p.communicate(timeout=60)
        self.stalled = False
        self.assertEqual((p.returncode, out), (130, b""))
        return said.decode()

    def incomplete(self):
        return self.blob(Q8).with_suffix(".incomplete")

    def test_ctrl_c_keeps_what_came(self):
        for command in (("pull", "me/tiny:Q8_0"), ("run", "-hf", "me/tiny:Q8_0", "-p", "a"), ("chat", "-hf", "me/tiny:Q8_0", "-p", "a")):
            said = self.interrupted(*command)
            self.assertIn("there are also Q4_K_M", said.splitlines()[-1], "nothing is said of the end")
            self.assertEqual(self.incomplete().stat().st_size, 5000)
            self.assertEqual([(m["name"], m["complete"]) for m in self.listed()], [("me/tiny:Q8_0", False)])
            self.assertEqual(self.hubbed("rm", "me/tiny", "--yes").returncode, 0)
            self.assertFalse(self.repo().exists())

    def test_after_ctrl_c_hf_goes_on_where_it_ended(self):
        self.interrupted("run", "-hf", "me/tiny:Q8_0", "-p", "a")
        self.hub.requests.clear()
        self.assertEqual(self.hubbed("run", "-hf", "me/tiny:Q8_0", "-p", "a", "-n", "1").returncode, 0)
        self.assertEqual(self.ranges(), ["bytes=5000-"])

    def stall(self, handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(Q8)))
        handler.end_headers()
        handler.wfile.write(Q8[:5000])
        handler.wfile.flush()
        while self.stalled:
            time.sleep(0.05)
        handler.close_connection = True
        return True


class Trust(HubTest):
    """The token, redirects, and names that the network sends."""

    def authorized(self, hub):
        return [path for path, headers in hub.requests if "Authorization" in headers]

    def test_the_token_goes_to_the_endpoint_only_and_is_never_shown(self):
        other = self.new_hub()
        self.hub.token = TOKEN
        self.hub.faults["/resolve/"] = [self.hub.redirect(other.url + "/cdn/file")]
        other.faults["/cdn/"] = [other.body(Q8)]
        r = self.hubbed("pull", "me/tiny:Q8_0", HF_TOKEN=TOKEN, SKALD_LOG="debug")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(len(self.authorized(self.hub)), 3)
        self.assertEqual((len(other.requests), self.authorized(other)), (1, []))
        self.assertNotIn(TOKEN, (r.stdout + r.stderr).decode())

    def test_the_token_goes_along_no_redirect_even_to_the_same_host(self):
        self.hub.faults["/resolve/"] = [self.hub.redirect("/moved/file")]
        self.hub.faults["/moved/"] = [self.hub.body(Q8)]
        self.pulls("me/tiny:Q8_0", HF_TOKEN=TOKEN)
        self.assertEqual([p for p in self.authorized(self.hub) if "moved" in p], [])

    def test_the_token_does_not_follow_a_list_to_another_host(self):
        other = self.new_hub({"me/tiny": self.hub.repos["me/tiny"]})
        self.hub.faults["/tree/"] = [self.hub.body(b"[]", Link=f'<{other.url}/api/models/me/tiny/tree/{COMMIT}?x=1>; rel="next"')]
        self.pulls("me/tiny:Q8_0", HF_TOKEN=TOKEN)
        self.assertEqual(self.authorized(other), [])
        self.assertEqual(len(other.requests), 1)

    def test_the_token_may_be_in_a_file(self):
        self.hub.token = TOKEN
        (self.home / "token").write_text(TOKEN + "\n")
        self.pulls("me/tiny:Q8_0")
        elsewhere = self.new_folder() / "t"
        elsewhere.write_text(TOKEN)
        (self.home / "token").unlink()
        self.pulls("me/tiny:Q4_K_M", HF_TOKEN_PATH=str(elsewhere))
        self.refused("pull", "me/tiny", HF_TOKEN="hf_a\nX-Evil: 1", code=2, says="HF_TOKEN")

    def test_resumed_redirects_ask_for_the_rest(self):
        other = self.new_hub()
        self.hub.faults["/resolve/"] = [self.hub.redirect(other.url + "/me/tiny/resolve/x")] * 2
        other.faults["/resolve/x"] = [lambda h: other.answer(h, 200, Q8, cut=777) or True,
                                      lambda h: other.answer(h, 206, Q8[777:], {"Content-Range": f"bytes 777-{len(Q8) - 1}/{len(Q8)}"}) or True]
        self.assertEqual(Path(self.pulls("me/tiny:Q8_0")).read_bytes(), Q8)
        self.assertEqual([h.get("Range") for _, h in other.requests], [None, "bytes=777-"])

    def test_five_redirects_are_followed_and_no_more(self):
        for count, good in ((5, True), (6, False)):
            self.hub.faults = {"/resolve/": [self.hub.redirect("/hop/1")],
                               "/hop/": [self.hub.redirect(f"/hop/{i}") for i in range(count - 1)] + [self.hub.body(Q8)]}
            if good:
                self.pulls("me/tiny:Q8_0")
                self.hubbed("rm", "me/tiny", "--yes")
            else:
                self.refused("pull", "me/tiny:Q8_0", says="more than 5 redirects")

    def test_redirects_to_other_schemes_and_hosts_without_tls_are_refused(self):
        for to in ("http://example.com/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "https://user:pw@127.0.0.1/"):
            self.hub.faults = {"/resolve/": [self.hub.redirect(to)]}
            self.refused("pull", "me/tiny:Q8_0", says="not followed")

    def test_endpoints_without_tls_are_this_machine(self):
        for endpoint in ("http://example.com", "ftp://127.0.0.1", "example.com", "http://127.0.0.1.example.com"):
            self.refused("pull", "me/tiny", HF_ENDPOINT=endpoint, code=2, says="HF_ENDPOINT")

    def test_hostile_names_are_refused(self):
        entry = {"type": "file", "size": len(Q8), "oid": "0" * 40, "lfs": {"oid": hub_server.sha256(Q8), "size": len(Q8)}}
        for path in ("../../evil-Q8_0.gguf", "/tmp/evil-Q8_0.gguf", "a/../../../evil-Q8_0.gguf", "a\\b-Q8_0.gguf", "\x1b[2Jm-Q8_0.gguf", "a\nb-Q8_0.gguf", "a//b-Q8_0.gguf", "./x-Q8_0.gguf",
                     "x" * 300 + "-Q8_0.gguf"):
            self.hub.listing = [{**entry, "path": path}]
            r = self.hubbed("pull", "me/tiny:Q8_0")
            self.assertEqual(r.returncode, 1, path)
            self.assertIn("refused", r.stderr.decode())
            self.assertNotIn(b"\x1b", r.stderr)
        for change in ({"lfs": {"oid": "../../../x", "size": 5}}, {"lfs": {"oid": "A" * 64, "size": 5}}, {"lfs": {"oid": "0" * 40, "size": 5}}, {"lfs": None, "oid": "0" * 64},
                       {"lfs": {"oid": "0" * 64, "size": -1}}, {"lfs": {"oid": "0" * 64, "size": 1e30}}, {"lfs": 5}):
            self.hub.listing = [{**entry, "path": "m-Q8_0.gguf", **change}]
            self.refused("pull", "me/tiny:Q8_0", says="m-Q8_0.gguf")
        self.assertEqual(self.hub.paths("/resolve/"), [])
        self.assertEqual(sorted(p.name for p in self.home.iterdir()), [])

    def test_names_that_people_write_are_checked(self):
        for name in ("tiny", "me/..", "me/a--b", "me/tiny:", "me/tiny:../x", "me/tiny/../x.gguf", "me/tiny/x.bin", "me/ti ny", "-me/tiny/x.gguf"):
            self.refused("pull", "--", name, code=2)
        self.refused("pull", code=2)
        self.assertEqual(self.hub.requests, [])

    def test_control_characters_of_the_hub_are_shown_not_sent(self):
        self.hub.faults["/revision/"] = [self.hub.status(404, X_Error_Message="gone\x1b]0;title\x07")]
        r = self.hubbed("pull", "me/tiny")
        self.assertNotIn(b"\x1b", r.stderr)
        self.assertIn(b"\\x1b", r.stderr)


class Use(HubTest):
    RUN = ("-p", "a", "-n", "4", "--temp", "0")

    def test_hf_gets_and_runs(self):
        want = self.ok("run", "-m", support.MODEL, *self.RUN)
        for flags in (("-hf", "me/tiny:Q8_0"), ("-hfr", "me/tiny", "--hf-file", "tiny-Q8_0.gguf"), ("--hf-repo", "me/tiny/tiny-Q8_0.gguf"), ("-hf", "me/tiny:Q8_0", "--offline")):
            r = self.hubbed("run", *flags, *self.RUN)
            self.assertEqual((r.returncode, r.stdout), (0, want), r.stderr)
        for name, value in (("LLAMA_ARG_HF_REPO", "me/tiny:Q8_0"), ("SKALD_HF_REPO", "me/tiny:Q8_0")):
            self.assertEqual(self.hubbed("run", *self.RUN, **{name: value}).stdout, want)
        self.assertEqual(self.hubbed("tokenize", "-hf", "me/tiny:Q8_0", "-p", "ab", "--ids").stdout, self.ok("tokenize", "-m", support.MODEL, "-p", "ab", "--ids"))

    def test_names_run_what_was_got_without_the_network(self):
        want = self.ok("run", "-m", support.MODEL, *self.RUN)
        self.pulls("me/tiny:Q8_0")
        self.hub.requests.clear()
        for words in (("me/tiny",), ("tiny",), ("tiny:Q8_0",), ("me/tiny:q8_0",), ("me/tiny/tiny-Q8_0.gguf",), ("-m", "me/tiny"), ("-m", "tiny"), (support.MODEL,)):
            r = self.hubbed("run", *words, *self.RUN)
            self.assertEqual((r.returncode, r.stdout), (0, want), (words, r.stderr))
        self.assertEqual(self.hub.requests, [])

    def test_names_that_are_unknown_have_a_suggestion(self):
        self.refused("run", "tiny", *self.RUN, says=("tiny", "skald pull"))
        self.pulls("me/tiny:Q8_0")
        self.refused("run", "me/tnny", *self.RUN, says="did you mean me/tiny?")
        self.refused("run", "tiy", *self.RUN, says="did you mean tiny?")
        self.refused("run", "something/else", *self.RUN, says="there are me/tiny")
        self.refused("run", "tiny:Q2_K", *self.RUN, says=("Q2_K", ":Q8_0"))
        self.refused("run", "./tiny", *self.RUN, says="./tiny")

    def test_one_model_is_named(self):
        for words in (("tiny", "-m", "x"), ("-m", "x", "-hf", "me/tiny"), ("tiny", "-hf", "me/tiny"), ("--hf-file", "x.gguf"), ("-hf", "nonsense")):
            self.refused("run", *words, *self.RUN, code=2)
        self.pulls("me/tiny:Q8_0")
        r = self.hubbed("run", "tiny", *self.RUN, SKALD_MODEL="/nonexistent", LLAMA_ARG_HF_REPO="a/b")  # the command line goes first
        self.assertEqual(r.returncode, 0, r.stderr)

    def test_hf_uses_what_was_got_when_the_hub_is_gone(self):
        self.pulls("me/tiny:Q8_0")
        self.hub.close()
        r = self.hubbed("run", "-hf", "me/tiny:Q8_0", *self.RUN)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn("what was got before", r.stderr.decode())
        self.refused("run", "-hf", "me/tiny:Q4_K_M", *self.RUN, says="127.0.0.1")
        self.refused("pull", "me/tiny:Q8_0", says="127.0.0.1")


class Folders(HubTest):
    """What other programs keep of repositories without GGUF files."""

    def test_are_listed_and_run_by_name(self):
        snapshot = self.repo("me--folder") / "snapshots" / COMMIT
        snapshot.mkdir(parents=True)
        files = {"config.json": json.dumps(convert_test.CONFIG).encode(), "model.safetensors": convert_test.safetensors(convert_test.TENSORS)}
        for name, content in files.items():
            blob = self.blob(content, "me--folder")
            blob.parent.mkdir(exist_ok=True)
            blob.write_bytes(content)
            (snapshot / name).symlink_to(f"../../blobs/{blob.name}")
        [model] = self.listed()
        self.assertEqual({k: model[k] for k in ("name", "path", "bytes", "complete", "pulled")},
                         {"name": "me/folder:safetensors", "path": str(snapshot), "bytes": sum(map(len, files.values())), "complete": True, "pulled": False})
        run = ("--prompt-ids", "1,2,3", "-n", "4", "--temp", "0", "--print-ids")
        want = self.ok("run", "-m", snapshot, *run)
        for name in ("me/folder", "folder", "me/folder:safetensors"):
            r = self.hubbed("run", name, *run)
            self.assertEqual((r.returncode, r.stdout), (0, want), r.stderr)
        self.refused("rm", "me/folder", "--yes", says="Skald got none of it")


class Adapters(HubTest):
    """Repositories of PEFT, and GGUF files that are adapters."""
    LORA = support.DATA / "lora/llama_all"
    BASE = support.DATA / "golden/llama_gqa/model.gguf"
    WEIGHTS, FILE = (LORA / "peft/adapter_model.safetensors").read_bytes(), (LORA / "adapter.gguf").read_bytes()
    RUN = ("--prompt-ids", "1,2,3,4,5,6", "-n", "8", "--temp", "0", "--print-ids", "--ignore-eos")

    def setUp(self):
        super().setUp()
        self.config = json.loads((self.LORA / "peft/adapter_config.json").read_text())
        self.offer("meta-llama/Llama-3.2-1B", other=b"x" * 500, **{"checkpoint-1/adapter_model.safetensors": b"c" * 90})
        self.hub.repos["me/file"] = {"style-lora-f16.gguf": self.FILE}

    def offer(self, base, card=b"# A card", **more):
        """The repository me/lora of an adapter that names this base."""
        config = {**self.config, "base_model_name_or_path": base}
        self.hub.repos["me/lora"] = {"adapter_config.json": json.dumps(config).encode(), "adapter_model.safetensors": self.WEIGHTS, "README.md": card, **more}

    def runs(self, *flags, model=BASE):
        r = self.hubbed("run", "-m", model, *flags, *self.RUN)
        self.assertEqual(r.returncode, 0, r.stderr)
        return r.stdout

    def kinds(self):
        return {m["name"]: (m["kind"], m.get("base")) for m in self.listed()}

    def test_of_peft_are_got_as_a_folder(self):
        folder = Path(self.pulls("me/lora"))
        self.assertEqual(folder, self.repo("me--lora") / "snapshots" / COMMIT)
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["README.md", "adapter_config.json", "adapter_model.safetensors"])
        self.assertEqual((folder / "adapter_model.safetensors").read_bytes(), self.WEIGHTS)
        self.assertIn("me/lora is there, an adapter (LoRA) for meta-llama/Llama-3.2-1B; skald run -m meta-llama/Llama-3.2-1B --lora me/lora", self.said)
        self.assertEqual(self.pulls("me/lora", "--offline"), str(folder))
        self.assertEqual(self.pulls("me/lora:safetensors"), str(folder))

    def test_that_break_off_are_not_there(self):
        self.hub.faults["/adapter_model"] = [self.hub.status(404)]
        self.refused("pull", "me/lora", says="404")
        self.assertEqual(list((self.repo("me--lora") / "snapshots" / COMMIT).iterdir()), [])
        self.assertEqual([(m["name"], m["kind"], m["complete"]) for m in self.listed()], [("me/lora", "adapter", False)])
        self.refused("run", "--lora", "me/lora", *self.RUN, says="pull it again")
        self.pulls("me/lora")
        self.assertTrue(self.listed()[0]["complete"])

    def test_are_used_by_name(self):
        self.pulls("me/lora")
        self.pulls("me/file")
        self.hub.requests.clear()
        plain, want, half = (self.runs(*flags) for flags in ((), ("--lora", self.LORA / "adapter.gguf"), ("--lora-scaled", f"{self.LORA / 'adapter.gguf'}:0.5")))
        self.assertEqual(len({plain, want, half}), 3)
        for name in ("me/lora", "lora", "me/lora:safetensors", "me/file", "file:F16", "me/file/style-lora-f16.gguf"):
            self.assertEqual(self.runs("--lora", name), want, name)
            self.assertEqual(self.runs("--lora-scaled", f"{name}:0.5"), half, name)
        self.assertEqual(self.hub.requests, [])
        self.refused("run", "-m", self.BASE, "--lora-scaled", "me/lora", *self.RUN, code=2, says="--lora-scaled")
        self.refused("run", "-m", self.BASE, "--lora", "me/lorb", *self.RUN, says="did you mean me/lora?")
        self.refused("run", "-m", self.BASE, "--lora", "gone.gguf", *self.RUN, says="no such adapter")
        self.refused("serve", "-m", self.BASE, "--lora-modules", "a=me/file,b=me/gone", says=("me/gone", "no such adapter"))

    def test_are_no_models_and_models_are_none(self):
        for repo in ("me/lora", "me/file", "me/tiny:Q8_0"):
            self.pulls(repo)
        self.refused("run", "-m", "me/lora", *self.RUN, says=("an adapter (LoRA) for meta-llama/Llama-3.2-1B", "--lora me/lora"))
        self.refused("run", "file", *self.RUN, says=("an adapter (LoRA) for models of the architecture llama", "-m MODEL --lora me/file"))
        self.refused("run", "-m", self.LORA / "adapter.gguf", *self.RUN, says="--lora")
        self.refused("run", "-hf", "me/lora", *self.RUN, says="skald pull")
        self.refused("run", "-m", self.BASE, "--lora", "tiny", *self.RUN, says="me/tiny: it is a model")

    def test_beside_a_model_are_told_from_it(self):
        self.hub.repos["me/both"] = {"m-Q8_0.gguf": Q8, "lora-F16.gguf": self.FILE}
        self.pulls("me/both:Q8_0")
        self.pulls("me/both:F16")
        self.assertEqual(self.kinds(), {"me/both:Q8_0": ("model", None), "me/both:F16": ("adapter", None)})
        self.assertEqual(self.runs("--lora", "me/both"), self.runs("--lora", self.LORA / "adapter.gguf"))
        self.assertEqual(self.runs(model="me/both"), self.runs(model="me/both:Q8_0"))
        self.refused("run", "-m", "me/both:F16", *self.RUN, says="--lora me/both:F16")

    def test_in_other_forms_are_refused_by_name(self):
        good = self.hub.repos["me/lora"]
        for files, says in (({"adapter_model.bin": b"x" * 99}, ("adapter_model.bin", "Python")), ({}, "no adapter_model.safetensors"),
                            ({"adapter_model-00001-of-00002.safetensors": b"x" * 99}, ("adapter_model-00001-of-00002.safetensors", "several files"))):
            self.hub.repos["me/lora"] = {"adapter_config.json": good["adapter_config.json"], **files}
            self.refused("pull", "me/lora", says=says)
        self.hub.repos["me/lora"] = {**good, "adapter_config.json": b" " * (2 << 20)}
        self.refused("pull", "me/lora", says=("adapter_config.json", "want at most"))
        self.hub.repos["me/lora"] = {"README.md": b"x"}
        self.refused("pull", "me/lora", says="no adapter")
        self.assertEqual(self.hub.paths("/resolve/"), [])

    def test_beside_gguf_files_stay_unless_they_are_named(self):
        self.hub.repos["me/lora"]["m-Q8_0.gguf"] = Q8
        self.assertTrue(self.pulls("me/lora").endswith("m-Q8_0.gguf"))
        self.assertTrue(self.pulls("me/lora:safetensors").endswith(COMMIT))
        self.assertEqual(self.kinds(), {"me/lora:Q8_0": ("model", None), "me/lora:safetensors": ("adapter", "meta-llama/Llama-3.2-1B")})

    def test_name_their_base_in_the_card_too(self):
        for card in (b"---\nbase_model: acme/one\n---\n", b"---\ntags: [a]\nbase_model:\n- 'acme/one'\n- acme/two\n---\n"):
            self.offer("", card)
            self.pulls("me/lora")
            self.assertIn("for acme/one; skald run -m acme/one --lora", self.said)
            self.assertEqual(self.hubbed("rm", "me/lora", "--yes").returncode, 0)

    def test_that_are_hostile_are_shown_safely(self):
        for base, says in (("\x1b[2Ja\n/b", "\\x1b[2Ja\\n/b"), ("x; rm -rf ~", "-m MODEL"), ("$(id)", "-m MODEL"), ("y" * 600, "adapter (LoRA); ")):
            self.offer(base)
            self.pulls("me/lora")
            self.assertIn(says, self.said)
            for command in (("list",), ("run", "-m", "me/lora")):
                r = self.hubbed(*command)
                self.assertNotIn(b"\x1b", r.stdout + r.stderr)
            self.assertEqual(self.hubbed("rm", "me/lora", "--yes").returncode, 0)
        for config in (b"not JSON" * 20, b"[" * 9000, b'{"base_model_name_or_path": 5}' + b" " * 99, b"\xff" * 99):
            self.hub.repos["me/lora"]["adapter_config.json"] = config
            self.pulls("me/lora")
            self.assertIn("is there, an adapter (LoRA); skald run -m MODEL --lora me/lora", self.said)
            self.assertEqual(self.hubbed("rm", "me/lora", "--yes").returncode, 0)

    def test_are_listed_and_removed(self):
        self.pulls("me/lora")
        self.pulls("me/file")
        self.assertEqual(self.kinds(), {"me/lora": ("adapter", "meta-llama/Llama-3.2-1B"), "me/file:F16": ("adapter", None)})
        table = self.hubbed("list").stdout.decode()
        self.assertRegex(table, r"\| me/lora +\| adapter for meta-llama/Llama-3.2-1B +\|")
        self.assertEqual(self.hubbed("rm", "lora", "--yes").returncode, 0)
        self.assertEqual(self.hubbed("rm", "me/file:f16", "--yes").returncode, 0)
        self.assertFalse(self.repo("me--lora").exists() or self.repo("me--file").exists())

    def test_become_files_by_name(self):
        self.pulls("me/lora")
        out = self.new_folder() / "out.gguf"
        r = self.hubbed("convert", "--adapter", "me/lora", out, "--base", self.BASE)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(self.runs("--lora", out), self.runs("--lora", self.LORA / "adapter.gguf"))


class ListAndRemove(HubTest):
    def test_list_shows_what_is_there(self):
        self.assertEqual(self.listed(), [])
        path = self.pulls("me/tiny:Q8_0")
        [model] = self.listed()
        self.assertEqual({k: model[k] for k in ("name", "repo", "tag", "revision", "refs", "path", "bytes", "complete", "pulled")},
                         {"name": "me/tiny:Q8_0", "repo": "me/tiny", "tag": "Q8_0", "revision": COMMIT, "refs": ["main"], "path": path, "bytes": len(Q8), "complete": True, "pulled": True})
        table = self.hubbed("list").stdout.decode()
        self.assertIn("| me/tiny:Q8_0 |", table)
        self.refused("list", "-o", "xml", code=2)

    def test_rm_asks(self):
        path = self.pulls("me/tiny:Q8_0")
        for answer in (b"", b"n\n", b"nonsense\n"):
            r = self.hubbed("rm", "me/tiny", stdin=answer)
            self.assertEqual((r.returncode, os.path.exists(path)), (1, True))
            self.assertIn(b"remove me/tiny:Q8_0", r.stderr)
        r = self.hubbed("rm", "me/tiny", stdin=b"y\n")
        self.assertEqual((r.returncode, r.stdout), (0, b""), r.stderr)
        self.assertFalse(self.repo().exists())
        self.refused("rm", "me/tiny", "--yes", says="me/tiny")

    def test_rm_of_a_tag_leaves_the_others(self):
        self.pulls("me/tiny:Q8_0")
        self.pulls("me/tiny:Q4_K_M")
        self.assertEqual(self.hubbed("rm", "tiny:q8_0", "-y").returncode, 0)
        self.assertEqual([m["name"] for m in self.listed()], ["me/tiny:Q4_K_M"])
        self.assertFalse(self.blob(Q8).exists())
        self.assertTrue(self.blob(Q4).exists())

    def test_rm_leaves_what_other_programs_got(self):
        self.pulls("me/tiny:Q8_0")
        other = self.repo() / "snapshots" / ("f" * 40)
        other.mkdir()
        for name, content in (("theirs-Q8_0.gguf", Q8), ("config.json", b"{}")):
            blob = self.blob(content)
            blob.write_bytes(content)
            (other / name).symlink_to(f"../../blobs/{blob.name}")
        r = self.hubbed("rm", "me/tiny", "--yes")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn("another program", r.stderr.decode())
        self.assertEqual((other / "theirs-Q8_0.gguf").read_bytes(), Q8)
        self.assertEqual((other / "config.json").read_bytes(), b"{}")
        self.assertFalse((self.repo() / "snapshots" / COMMIT).exists())
        self.refused("rm", "me/tiny", "--yes", says="Skald got none of it")


class WithHuggingfaceHub(HubTest):
    """The PyPI package finds what we wrote, and we find what it wrote."""

    def python(self, code, **env):
        r = subprocess.run([os.environ.get("SKALD_TEST_PYTHON", "python3"), "-c", code], capture_output=True, text=True, timeout=120,
                           env={**os.environ, **{k: v for k, v in self.env.items() if v}, "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", **env})
        self.assertEqual(r.returncode, 0, r.stderr)
        return r.stdout.strip()

    def setUp(self):
        super().setUp()
        if subprocess.run([os.environ.get("SKALD_TEST_PYTHON", "python3"), "-c", "import huggingface_hub"], capture_output=True).returncode:
            self.skipTest("no huggingface_hub")

    def test_finds_what_we_wrote(self):
        path = self.pulls("me/tiny:Q8_0")
        code = "import huggingface_hub as h; print(h.hf_hub_download('me/tiny', 'tiny-Q8_0.gguf'))"
        self.assertEqual(self.python(code, HF_HUB_OFFLINE="1"), path)
        scan = "import huggingface_hub as h; s = h.scan_cache_dir(); print(s.warnings, [(r.repo_id, [(v.commit_hash, sorted(v.refs), len(v.files)) for v in r.revisions]) for r in s.repos])"
        self.assertEqual(self.python(scan), f"[] [('me/tiny', [('{COMMIT}', ['main'], 1)])]")

    def test_sees_a_sound_cache_after_rm(self):
        self.pulls("me/tiny:Q8_0")
        self.pulls("me/tiny:Q4_K_M")
        self.hubbed("rm", "me/tiny:Q8_0", "--yes")
        scan = "import huggingface_hub as h; s = h.scan_cache_dir(); print(s.warnings, [r.nb_files for r in s.repos])"
        self.assertEqual(self.python(scan), "[] [1]")
        self.hubbed("rm", "me/tiny", "--yes")
        self.assertEqual(self.python(scan), "[] []")

    def test_what_it_wrote_is_found_and_left(self):
        theirs = self.python("import huggingface_hub as h; print(h.hf_hub_download('me/tiny', 'tiny-Q8_0.gguf'))")
        want = self.ok("run", "-m", support.MODEL, *Use.RUN)
        self.assertEqual(self.hubbed("run", "me/tiny", *Use.RUN).stdout, want)
        self.hub.requests.clear()
        self.assertEqual(self.pulls("me/tiny:Q8_0"), theirs)
        self.assertEqual(self.hub.paths("/resolve/"), [])
        self.assertEqual([(m["name"], m["pulled"]) for m in self.listed()], [("me/tiny:Q8_0", False)])
        self.refused("rm", "me/tiny", "--yes", says="Skald got none of it")
        self.assertTrue(os.path.exists(theirs))


support.main()
