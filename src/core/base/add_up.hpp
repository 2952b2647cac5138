#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace commmap {

/// Adds up neighbours with the same key: of each key one is left, at the beginning of `values`.
/// Returns how many. Of what is sorted by the key that is one of each. Takes no memory.
/// Cost: O(values).
/// @param add  add(to, from)
template <class Value, class Key, class Add>
std::size_t add_up_neighbours(std::span<Value> values, Key&& key, Add&& add) {
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
