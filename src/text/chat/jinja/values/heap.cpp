#include "text/chat/jinja/values/heap.h"

#include <utility>

namespace skald::jinja {

Heap::~Heap() {
  while (circular_) {
    const Ref<Object> kept(circular_);
    unlink(*kept);
    kept->clear();
  }
}

void Heap::adopt(Object& object, size_t bytes) {
  object.heap_ = this;
  object.bytes_ = bytes;
}

void Heap::link(Object& object) {
  object.circular_ = true;
  object.after_ = circular_;
  if (circular_) circular_->before_ = &object;
  circular_ = &object;
}

void Heap::unlink(Object& object) {
  object.circular_ = false;
  if (object.before_) object.before_->after_ = object.after_;
  if (object.after_) object.after_->before_ = object.before_;
  if (circular_ == &object) circular_ = object.after_;
  object.before_ = object.after_ = nullptr;
}

void Heap::bury(Object* object) noexcept {
  if (object->circular_) unlink(*object);
  object->after_ = std::exchange(dying_, object);
  if (burying_) return;
  burying_ = true;
  while (dying_) {
    Object* const next = std::exchange(dying_, dying_->after_);
    budget_.give_memory(next->bytes_);
    delete next;
  }
  burying_ = false;
}

}  // namespace skald::jinja
