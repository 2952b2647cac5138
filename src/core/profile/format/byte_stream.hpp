// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace commmap {

/// Writes numbers and lists one after the other, for a reader of the same build on the same kind of
/// machine. Only types without padding may be written, because the padding's bytes would be
/// undefined.
class ByteWriter {
public:
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        out_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void put(const std::string& text) {
        put(std::uint64_t{text.size()});
        out_ += text;
    }
    template <class T>
    void put(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        put(std::uint64_t{values.size()});
        if (!values.empty())
            out_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    std::string take() { return std::move(out_); }

private:
    std::string out_;
};

/// Reads what ByteWriter wrote. After an attempt to read past the end every value is zero, and ok()
/// is false.
class ByteReader {
public:
    explicit ByteReader(std::string_view in) : in_(in) {}
    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] bool at_end() const { return ok_ && in_.empty(); }

    template <class T>
    T get() {
        T value{};
        copy(&value, 1, sizeof value);
        return value;
    }
    std::string text() {
        std::string value(length(1), '\0');
        copy(value.data(), value.size(), 1);
        return value;
    }
    template <class T>
    std::vector<T> vector() {
        std::vector<T> values(length(sizeof(T)));
        copy(values.data(), values.size(), sizeof(T));
        return values;
    }
    /// Reads the number of things that follow. Fails when the rest is too short for so many things
    /// of `least_bytes` each.
    std::size_t length(std::size_t least_bytes) {
        const auto count = get<std::uint64_t>();
        if (count > in_.size() / least_bytes) ok_ = false;
        return ok_ ? static_cast<std::size_t>(count) : 0;
    }

private:
    void copy(void* to, std::size_t count, std::size_t each) {
        if (!ok_ || in_.size() < count * each) {
            ok_ = false;
        } else if (count > 0) {
            std::memcpy(to, in_.data(), count * each);
            in_.remove_prefix(count * each);
        }
    }
    std::string_view in_;
    bool ok_ = true;
};

}  // namespace commmap
