#include "core/base/text_lines.hpp"

#include <algorithm>

#include "core/base/one_line.hpp"

namespace commmap {

bool TextLines::next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
}

Error TextLines::error(const std::string& what) const {
    return error_in_line(name_, number_, what);
}

Error error_in_line(std::string_view name, std::size_t line, const std::string& what) {
    return Error{Errc::invalid_input, one_line(name) + ":" + std::to_string(line) + ": " + what};
}

std::string_view Words::next() {
    const std::size_t begin = std::min(rest_.find_first_not_of(separators_), rest_.size());
    rest_.remove_prefix(begin);
    const std::size_t end = std::min(rest_.find_first_of(separators_), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
}

std::string quoted_word(std::string_view word) {
    std::string text = quoted(word);
    for (char& c : text)
        if (static_cast<unsigned char>(c) >= 0x80) c = '?';  // of a binary file
    return text;
}

}  // namespace commmap
