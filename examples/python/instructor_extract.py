"""Objects of a Pydantic class out of a text, by instructor. Needs: pip install skald instructor"""

import instructor
from pydantic import BaseModel, Field

import skald


class Pet(BaseModel):
    legs: int = Field(ge=0, le=8)
    furry: bool


client = instructor.from_openai(skald.openai_client())
pet = client.chat.completions.create(
    model="local",
    messages=[{"role": "user", "content": "The cat has four legs and soft fur."}],
    response_model=Pet,
    max_tokens=64,
    temperature=0,
)
print(pet)
