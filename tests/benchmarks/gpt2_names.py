"""Names and layout of the tensors of Hugging Face's GPT-2 in lvtext's model gpt2."""

TRANSPOSED = {"attn.c_attn": "qkv", "attn.c_proj": "attention_output", "mlp.c_fc": "mlp_input",
              "mlp.c_proj": "mlp_output"}
NORMS = {"ln_1": "attention_norm", "ln_2": "mlp_norm"}


def ours_of(state, layers, kept_as_is=()):
    """Returns the tensors under our names: matrices of blocks are [out, in], transposed except
    those in `kept_as_is`, with which a test shows that a missing transpose is noticed."""
    named = {"tokens.weight": state["transformer.wte.weight"],
             "positions.weight": state["transformer.wpe.weight"]}
    for part in ("weight", "bias"):
        named[f"norm.{part}"] = state[f"transformer.ln_f.{part}"]
        for i in range(layers):
            for theirs, ours in (NORMS | TRANSPOSED).items():
                value = state[f"transformer.h.{i}.{theirs}.{part}"]
                if part == "weight" and theirs in TRANSPOSED and theirs not in kept_as_is:
                    value = value.t()
                named[f"blocks.{i}.{ours}.{part}"] = value
    return {name: value.detach().contiguous().clone() for name, value in named.items()}
