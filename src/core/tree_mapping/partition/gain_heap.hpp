// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace commmap {

/// Binary heap of vertices by gain, with positions: the highest gain first, among equals the lowest
/// number. A gain can change.
/// A gain that has become lower is updated when its vertex comes to the top.
/// Cost: O(log size) a change, amortized; reset() O(vertices).
class GainHeap {
public:
    /// Empties the heap for vertices 0 .. n-1. Keeps its memory.
    /// @param gains  length n; must outlive the use of the heap
    void reset(std::size_t num_vertices, const double* gains) {
        gains_ = gains;
        heap_.clear();
        position_.assign(num_vertices, absent);
    }
    /// Empties the heap. Cost: O(size).
    void clear() {
        for (const Entry& entry : heap_) position_[entry.vertex] = absent;
        heap_.clear();
    }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] bool contains(std::uint32_t v) const { return position_[v] != absent; }
    [[nodiscard]] std::uint32_t top() {
        while (heap_.front().gain != gains_[heap_.front().vertex]) {
            heap_.front().gain = gains_[heap_.front().vertex];
            down(0);
        }
        return heap_.front().vertex;
    }
    [[nodiscard]] double top_gain() { return gains_[top()]; }

    /// Puts a vertex in, or takes over its new gain.
    /// @return  true when the vertex was not in
    bool set(std::uint32_t v) {
        const double gain = gains_[v];
        std::uint32_t at = position_[v];
        if (at == absent) {
            at = static_cast<std::uint32_t>(heap_.size());
            heap_.push_back({gain, v});
            position_[v] = at;
            up(at);
            return true;
        }
        if (gain > heap_[at].gain) {
            heap_[at].gain = gain;
            up(at);
        }
        return false;
    }
    void remove_top() {
        position_[heap_.front().vertex] = absent;
        const Entry last = heap_.back();
        heap_.pop_back();
        if (heap_.empty()) return;
        put(0, last);
        down(0);
    }

private:
    /// An entry's gain is never lower than its vertex's.
    struct Entry {
        double gain;
        std::uint32_t vertex;
        [[nodiscard]] bool before(const Entry& other) const {
            return gain != other.gain ? gain > other.gain : vertex < other.vertex;
        }
    };
    static constexpr std::uint32_t absent = UINT32_MAX;

    void up(std::uint32_t at) {
        const Entry entry = heap_[at];
        while (at > 0) {
            const std::uint32_t above = (at - 1) / 2;
            if (!entry.before(heap_[above])) break;
            put(at, heap_[above]);
            at = above;
        }
        put(at, entry);
    }
    void down(std::uint32_t at) {
        const Entry entry = heap_[at];
        while (true) {
            std::uint32_t below = 2 * at + 1;
            if (below >= heap_.size()) break;
            if (below + 1 < heap_.size() && heap_[below + 1].before(heap_[below])) ++below;
            if (!heap_[below].before(entry)) break;
            put(at, heap_[below]);
            at = below;
        }
        put(at, entry);
    }
    void put(std::uint32_t at, const Entry& entry) {
        heap_[at] = entry;
        position_[entry.vertex] = at;
    }

    const double* gains_ = nullptr;
    std::vector<Entry> heap_;
    std::vector<std::uint32_t> position_;
};

}  // namespace commmap
