#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace commmap {

// Helpers for both versions of the profile file, to read a FlatBuffers buffer that the verifier has
// passed.

/// The text of a string; empty when the string is absent.
[[nodiscard]] inline std::string text_of(const flatbuffers::String* text) {
    return text == nullptr ? std::string() : std::string(text->c_str(), text->size());
}

/// Tells whether a list's elements are aligned. The verifier checks the alignment of the list's
/// length only, and the builder does not align what follows when the list is empty.
template <class Value>
[[nodiscard]] bool is_aligned(const flatbuffers::Vector<Value>* list) {
    using Stored = std::remove_const_t<std::remove_pointer_t<Value>>;
    return list->size() == 0 ||
           reinterpret_cast<std::uintptr_t>(list->Data()) % alignof(Stored) == 0;
}

}  // namespace commmap
