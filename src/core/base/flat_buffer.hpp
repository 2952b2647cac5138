// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <flatbuffers/flatbuffers.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace commmap {

// What readers ask of a buffer that the verifier has passed, and buffers that processes tell each
// other.

/// Returns a text of a buffer; empty if the buffer has no such text.
[[nodiscard]] inline std::string text_of(const flatbuffers::String* text) {
    return text == nullptr ? std::string() : std::string(text->c_str(), text->size());
}

/// Tells whether a list is aligned. The verifier looks at a list's length word, not at the
/// alignment of what follows it (which the builder leaves as it is when nothing follows).
template <class Value>
[[nodiscard]] bool is_aligned(const flatbuffers::Vector<Value>* list) {
    using Stored = std::remove_const_t<std::remove_pointer_t<Value>>;
    return list->size() == 0 ||
           reinterpret_cast<std::uintptr_t>(list->Data()) % alignof(Stored) == 0;
}

/// Stores a list of structs.
/// FlatBuffers 23.5 leaves a gap in front of structs that are aligned to less than the list's
/// length word. Readers then read the gap.
template <class Stored>
[[nodiscard]] auto list_of_structs(flatbuffers::FlatBufferBuilder& builder,
                                   const std::vector<Stored>& values) {
    static_assert(alignof(Stored) >= alignof(flatbuffers::uoffset_t),
                  "store such structs as one list for each member");
    return builder.CreateVectorOfStructs(values);
}

/// Makes a struct of one that has the same numbers in the same order.
template <class To>
struct Same {
    template <class From>
    [[nodiscard]] To operator()(const From& from) const {
        return std::bit_cast<To>(from);
    }
};

/// Returns the finished buffer; valid as long as the builder.
[[nodiscard]] inline std::string_view content_of(const flatbuffers::FlatBufferBuilder& builder) {
    return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

/// A buffer that has its size in front, as FinishSizePrefixed() writes it: one that is cut, or has
/// something behind it, is none. Read where it is, or a copy where that is not aligned.
template <class Table>
class SizedBuffer {
public:
    /// Returns the buffer if the verifier passes it. nullopt: it does not.
    /// @param bytes  live as long as the buffer
    /// @param identifier  of its schema
    /// @param max_tables  in it, and as many inside each other
    [[nodiscard]] static std::optional<SizedBuffer> of(std::string_view bytes,
                                                       const char* identifier,
                                                       std::uint32_t max_tables = 1) {
        // the verifier of 2.0 reads the identifier before it knows that there is one
        constexpr std::size_t least = 3 * sizeof(std::uint32_t);
        if (bytes.size() < least || bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
            return std::nullopt;
        SizedBuffer buffer;
        const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
        if (reinterpret_cast<std::uintptr_t>(begin) % sizeof(std::uint64_t) != 0) {
            buffer.copy_ = std::make_unique_for_overwrite<std::uint64_t[]>(
                bytes.size() / sizeof(std::uint64_t) + 1);
            std::memcpy(buffer.copy_.get(), bytes.data(), bytes.size());
            begin = reinterpret_cast<const std::uint8_t*>(buffer.copy_.get());
        }
        flatbuffers::Verifier verifier(begin, bytes.size(), max_tables, max_tables);
        if (!verifier.VerifySizePrefixedBuffer<Table>(identifier)) return std::nullopt;
        buffer.table_ = flatbuffers::GetSizePrefixedRoot<Table>(begin);
        return buffer;
    }
    const Table* operator->() const { return table_; }
    const Table& operator*() const { return *table_; }

private:
    SizedBuffer() = default;
    std::unique_ptr<std::uint64_t[]> copy_;
    const Table* table_ = nullptr;
};

}  // namespace commmap
