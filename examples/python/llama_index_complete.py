"""Skald as the language model of LlamaIndex. Needs: pip install skald llama-index-llms-openai-like"""

from llama_index.llms.openai_like import OpenAILike

import skald

with skald.serve() as server:
    llm = OpenAILike(model="local", api_base=server.url + "/v1", api_key="none", temperature=0, max_tokens=24)
    print(llm.complete("Once upon a time").text)
