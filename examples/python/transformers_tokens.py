"""Tokens of a tokenizer of transformers as the prompt. Needs: pip install skald transformers

usage: transformers_tokens.py FOLDER, a model as Hugging Face keeps them
"""

import sys

from transformers import AutoTokenizer

import skald

folder = sys.argv[1]
tokenizer = AutoTokenizer.from_pretrained(folder)
with skald.Model(folder) as model:
    text = "The cat sat on the mat."
    ids = tokenizer(text)["input_ids"]
    print("the same ids:", ids == model.tokenize(text))
    pieces = list(model.generate(ids, max_tokens=8, temperature=0))
    print("the same text:", tokenizer.decode([piece.id for piece in pieces]) == model.detokenize([piece.id for piece in pieces]))
