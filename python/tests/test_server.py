"""The server on threads of this process."""

import json
import urllib.error
import urllib.request

import pytest

import skald


def post(url, body, key=None):
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=60) as answer:
        return json.load(answer)


def test_it_answers_as_the_model_does(model):
    with skald.serve() as server:
        body = {"prompt": "Once", "max_tokens": 8, "temperature": 0}
        there = post(server.url + "/v1/completions", body)
    assert there["choices"][0]["text"] == model.complete(**body)["choices"][0]["text"]
    with pytest.raises(urllib.error.URLError):
        post(server.url + "/v1/completions", body)


def test_options_are_flags_of_the_server():
    with skald.serve(api_key=["secret"]) as server:
        with pytest.raises(urllib.error.HTTPError) as error:
            post(server.url + "/v1/completions", {"prompt": "x"})
        assert error.value.code == 401
        assert post(server.url + "/tokenize", {"content": "x"}, key="secret")["tokens"]


def test_a_model_that_is_not_there_is_an_error():
    with pytest.raises(skald.Error) as error:
        skald.serve("/no/such.gguf")
    assert error.value.code == "not_found"


def test_the_package_openai_talks_to_it():
    pytest.importorskip("openai")
    client = skald.openai_client()
    answer = client.chat.completions.create(
        model="any", messages=[{"role": "user", "content": "Hello"}], max_tokens=8, temperature=0)  # fmt: skip
    assert answer.choices[0].message.content and answer.usage.completion_tokens == 8
