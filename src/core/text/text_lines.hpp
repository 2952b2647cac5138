// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "commmap/result.hpp"

namespace commmap {

/// Reads a text line by line, and makes errors that name the file and the line. Lines are views of
/// the text.
class TextLines {
public:
    /// @param name  of the file, for errors
    /// @param text  outlives this object
    TextLines(std::string_view name, std::string_view text) : name_(name), rest_(text) {}

    /// Goes to the next line; the first call goes to the first line. @return  false after the last
    /// line
    [[nodiscard]] bool next();
    /// Returns the current line without its end (LF or CR LF).
    [[nodiscard]] std::string_view line() const { return line_; }
    /// Returns the number of the current line, from 1 on.
    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] std::string_view name() const { return name_; }
    /// Returns an error about the current line: invalid_input, "FILE:LINE: what".
    [[nodiscard]] Error error(const std::string& what) const;
    [[nodiscard]] Error error(const Error& what) const { return error(what.message); }

private:
    std::string_view name_;
    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
};

/// Returns an error about a line that is known by its number.
[[nodiscard]] Error error_in_line(std::string_view name, std::size_t line, const std::string& what);

/// Splits a line into words.
class Words {
public:
    /// @param line        outlives this object
    /// @param separators  any number of them stand between two words
    explicit Words(std::string_view line, std::string_view separators = " \t")
        : rest_(line), separators_(separators) {}
    /// Returns the next word; empty: there are no more.
    [[nodiscard]] std::string_view next();

private:
    std::string_view rest_;
    std::string_view separators_;
};

/// Reads a number above 0; nullopt unless the whole text is one.
[[nodiscard]] std::optional<double> parse_positive(std::string_view text);

/// Quotes a word of the file for an error: short, and printable whatever the word is.
[[nodiscard]] std::string quoted_word(std::string_view word);

}  // namespace commmap
