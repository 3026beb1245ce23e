# The embedded model as bytes of the library: skald_embedded_model to skald_embedded_model_end.
    .section .rodata
    .balign 64
    .globl skald_embedded_model
    .hidden skald_embedded_model
skald_embedded_model:
    .incbin "skald-tiny.gguf"
    .globl skald_embedded_model_end
    .hidden skald_embedded_model_end
skald_embedded_model_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
