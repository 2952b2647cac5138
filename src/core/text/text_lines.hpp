#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap {

/// A text file line by line, and its errors, which name file and line. Views of the text, no copy.
class TextLines {
public:
    /// @param name  of the file, for errors
    /// @param text  outlives this object
    TextLines(std::string_view name, std::string_view text) : name_(name), rest_(text) {}

    /// Goes to the next line, at first to the first; false behind the last one.
    [[nodiscard]] bool next();
    /// Without its end (LF or CR LF).
    [[nodiscard]] std::string_view line() const { return line_; }
    /// From 1 on.
    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] std::string_view name() const { return name_; }
    /// invalid_input: "FILE:LINE: what".
    [[nodiscard]] Error error(const std::string& what) const;
    [[nodiscard]] Error error(const Error& what) const { return error(what.message); }

private:
    std::string_view name_;
    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
};

/// The same for a place that is known by its number alone.
[[nodiscard]] Error error_in_line(std::string_view name, std::size_t line, const std::string& what);

/// The words of a line.
class Words {
public:
    /// @param line        outlives this object
    /// @param separators  any number of them stand between two words
    explicit Words(std::string_view line, std::string_view separators = " \t")
        : rest_(line), separators_(separators) {}
    /// Empty: there are no more.
    [[nodiscard]] std::string_view next();

private:
    std::string_view rest_;
    std::string_view separators_;
};

/// A word of the file between single quotes, for an error: short, and printable whatever it is.
[[nodiscard]] std::string quoted_word(std::string_view word);

}  // namespace commmap
