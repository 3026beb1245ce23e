// The embedded model as in embedded.S, for Mach-O: names of C have an underscore in front.
    .section __TEXT,__const
    .p2align 6
    .globl _skald_embedded_model
    .private_extern _skald_embedded_model
_skald_embedded_model:
    .incbin "skald-tiny.gguf"
    .globl _skald_embedded_model_end
    .private_extern _skald_embedded_model_end
_skald_embedded_model_end:
    .byte 0
