// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <flatbuffers/flatbuffers.h>
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "commmap/result.hpp"
#include "core/base/handle.hpp"
#include "core/profile/profile_checks.hpp"

namespace commmap {

/// Bytes that are aligned for FlatBuffers, which reads them in place.
class AlignedBytes {
public:
    explicit AlignedBytes(std::size_t size)
        : words_(std::make_unique_for_overwrite<std::uint64_t[]>(size / sizeof(std::uint64_t) + 1)),
          size_(size) {}
    [[nodiscard]] char* data() { return reinterpret_cast<char*>(words_.get()); }
    [[nodiscard]] std::string_view view() const {
        return {reinterpret_cast<const char*>(words_.get()), size_};
    }

private:
    std::unique_ptr<std::uint64_t[]> words_;
    std::size_t size_;
};

/// A file or a text of which parts are read. The file is not mapped, because a file that is cut
/// during reading must not kill the reader.
class SectionSource {
public:
    explicit SectionSource(std::string_view content) : content_(content), size_(content.size()) {}
    SectionSource(FileDescriptor fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// @param offset, length  a range inside the source
    [[nodiscard]] Result<AlignedBytes> read(std::uint64_t offset, std::uint64_t length) const;

private:
    FileDescriptor fd_;
    std::string_view content_;
    std::uint64_t size_;
};

/// A FlatBuffers table that its verifier has checked. The bytes live as long as the object.
template <class Table>
class SectionTable {
public:
    [[nodiscard]] static Result<SectionTable> of(AlignedBytes bytes, const std::string& name) {
        SectionTable section(std::move(bytes));
        const auto* begin = reinterpret_cast<const std::uint8_t*>(section.bytes_.view().data());
        flatbuffers::Verifier verifier(begin, section.bytes_.view().size());
        if (!verifier.VerifyBuffer<Table>(nullptr))
            return corrupt(
                fmt::format("{}{} structure is damaged", name, name.empty() ? "its" : ": its"));
        section.table_ = flatbuffers::GetRoot<Table>(begin);
        return section;
    }
    const Table* operator->() const { return table_; }
    const Table& operator*() const { return *table_; }

private:
    explicit SectionTable(AlignedBytes bytes) : bytes_(std::move(bytes)) {}
    AlignedBytes bytes_;
    const Table* table_ = nullptr;
};

}  // namespace commmap
