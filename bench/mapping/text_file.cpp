// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "text_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "input_error.hpp"

namespace commmap::bench {
namespace {

std::string error_text() { return std::generic_category().message(errno); }

}  // namespace

std::string read_text_file(const std::string& path) {
    const FileHandle file(std::fopen(path.c_str(), "rb"));
    if (!file) throw InputError("cannot read '" + path + "': " + error_text());
    std::error_code no_size;
    const auto size = std::filesystem::file_size(path, no_size);
    // a byte more than it has, to meet its end; doubled when that is not known, as of a pipe
    std::string text(no_size ? std::size_t{1} << 20U : size + 1, '\0');
    std::size_t length = 0;
    while (true) {
        length += std::fread(text.data() + length, 1, text.size() - length, file.get());
        if (length < text.size()) break;
        text.resize(2 * length);
    }
    if (std::ferror(file.get()) != 0)
        throw InputError("cannot read '" + path + "': " + error_text());
    text.resize(length);
    return text;
}

std::optional<std::string_view> cut_line(std::string_view& text) {
    if (text.empty()) return std::nullopt;
    const std::size_t length = text.find('\n');
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    return line;
}

std::optional<std::uint64_t> read_number(std::string_view text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || next != end) return std::nullopt;
    return number;
}

TextWriter::TextWriter(std::string path)
    : path_(std::move(path)),
      file_(std::fopen(path_.c_str(), "wb")),
      buffer_(buffer_bytes),
      end_(buffer_.data()) {
    if (!file_) fail();
    std::setbuf(file_.get(), nullptr);  // the buffer is here
}

void TextWriter::flush() {
    const auto length = static_cast<std::size_t>(end_ - buffer_.data());
    if (std::fwrite(buffer_.data(), 1, length, file_.get()) != length) fail();
    end_ = buffer_.data();
}

void TextWriter::close() {
    flush();
    if (std::fclose(file_.release()) != 0) fail();
}

void TextWriter::fail() const { throw InputError("cannot write '" + path_ + "': " + error_text()); }

}  // namespace commmap::bench
