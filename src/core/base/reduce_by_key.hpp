// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace commmap {

/// Joins neighbours with equal keys into one value, and moves the values that are left to the
/// front. Values that are sorted by key become one for each key. Takes no memory.
/// @return how many values are left
/// Cost: O(values).
/// @param add  add(to, from)
template <class Value, class Key, class Add>
std::size_t reduce_by_key(std::span<Value> values, Key&& key, Add&& add) {
    std::size_t size = 0;
    for (const Value& value : values) {
        if (size > 0 && std::invoke(key, values[size - 1]) == std::invoke(key, value))
            add(values[size - 1], value);
        else
            values[size++] = value;
    }
    return size;
}

}  // namespace commmap
