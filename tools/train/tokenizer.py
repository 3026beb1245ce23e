"""Train and load the byte-level BPE vocabulary.

    python tokenizer.py --source corpus:stories --seed 7 --stories 20000 --out build/tokenizer.json

GPT-2's pre-tokenizer pattern, all 256 bytes in the vocabulary, and one special
token, <|endoftext|>, which both begins and ends a document.
"""

import argparse
import os

import gguf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

END = "<|endoftext|>"


def train(texts, vocab):
    """A BPE tokenizer of exactly `vocab` tokens learnt from an iterable of texts."""
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tok.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=vocab, special_tokens=[END], show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tok.train_from_iterator(texts, trainer)
    if tok.get_vocab_size() != vocab:
        raise SystemExit(f"only {tok.get_vocab_size()} tokens: the corpus is too small for {vocab}")
    return tok


def load(path):
    return Tokenizer.from_file(path)


def from_gguf(path):
    """The tokenizer that a GGUF file of export.py holds."""
    fields = gguf.GGUFReader(path).fields
    tokens, merges = (fields["tokenizer.ggml." + key].contents() for key in ("tokens", "merges"))
    vocabulary = {token: i for i, token in enumerate(tokens)}
    tok = Tokenizer(models.BPE(vocabulary, [tuple(merge.split(" ")) for merge in merges]))
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tok.decoder = decoders.ByteLevel()
    tok.add_special_tokens([END])
    return tok


def main():
    from corpus import source
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", default="corpus:stories", help="module:function of the text generator")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--stories", type=int, default=20000)
    parser.add_argument("--vocab", type=int, default=2048)
    parser.add_argument("--out", default="build/tokenizer.json")
    args = parser.parse_args()
    os.makedirs(os.path.dirname(args.out) or ".", exist_ok=True)
    tok = train(source(args.source)(args.seed, args.stories), args.vocab)
    tok.save(args.out)
    print(f"{args.out}: {tok.get_vocab_size()} tokens")


if __name__ == "__main__":
    main()
