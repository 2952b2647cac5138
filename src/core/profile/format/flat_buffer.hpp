#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace commmap {

// What both versions of the file ask of a buffer that the verifier has passed.

/// Empty for one that is not there.
[[nodiscard]] inline std::string text_of(const flatbuffers::String* text) {
    return text == nullptr ? std::string() : std::string(text->c_str(), text->size());
}

/// The verifier looks at a list's length word, not at the alignment of what follows it (which the
/// builder leaves as it is when nothing follows).
template <class Value>
[[nodiscard]] bool is_aligned(const flatbuffers::Vector<Value>* list) {
    using Stored = std::remove_const_t<std::remove_pointer_t<Value>>;
    return list->size() == 0 ||
           reinterpret_cast<std::uintptr_t>(list->Data()) % alignof(Stored) == 0;
}

}  // namespace commmap
