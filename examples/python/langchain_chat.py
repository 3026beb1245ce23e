"""Skald as the chat model of LangChain. Needs: pip install skald langchain-openai"""

from langchain_openai import ChatOpenAI

import skald

with skald.serve() as server:  # skald.serve("model.gguf") for a model of your own
    llm = ChatOpenAI(model="local", base_url=server.url + "/v1", api_key="none", temperature=0, max_tokens=24)
    print(llm.invoke("Tell me a story about a cat.").content)
    for chunk in llm.stream("Tell me a story about a dog."):
        print(chunk.content, end="", flush=True)
    print()
