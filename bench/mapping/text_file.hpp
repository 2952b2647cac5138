// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace commmap::bench {

struct CloseFile {
    void operator()(std::FILE* file) const noexcept {
        // A reader has nothing to lose here, and TextWriter::close() has looked already.
        static_cast<void>(std::fclose(file));
    }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

/// All of a file. Throws InputError when it cannot be read.
[[nodiscard]] std::string read_text_file(const std::string& path);

/// Cuts the next line off the front of `text`, without its line feed; nothing at the end. A last
/// line without a line feed counts too.
[[nodiscard]] std::optional<std::string_view> cut_line(std::string_view& text);

/// A whole number in decimal digits and nothing else; nothing when it is not one or is above 2^64.
[[nodiscard]] std::optional<std::uint64_t> read_number(std::string_view text);

/// A text file that is written from its beginning, with a buffer of 1 MiB.
class TextWriter {
public:
    /// Throws InputError when the file cannot be created.
    explicit TextWriter(std::string path);

    void put(std::uint64_t number) {
        make_room();
        end_ = std::to_chars(end_, buffer_.data() + buffer_.size(), number).ptr;
    }
    void put(char character) {
        make_room();
        *end_++ = character;
    }
    void put(std::string_view text) {
        for (const char character : text) put(character);
    }

    /// To be called at the end: throws InputError when not all could be written.
    void close();

private:
    static constexpr std::size_t buffer_bytes = std::size_t{1} << 20U;
    static constexpr std::ptrdiff_t longest_piece = 20;  // 2^64 - 1

    void make_room() {
        if (buffer_.data() + buffer_.size() - end_ < longest_piece) flush();
    }
    void flush();
    [[noreturn]] void fail() const;

    std::string path_;
    FileHandle file_;
    std::vector<char> buffer_;
    char* end_;
};

}  // namespace commmap::bench
