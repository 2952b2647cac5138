#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace commmap {

/// Vertices by gain, the highest first (among equals the lowest number); a gain can change. Binary
/// heap with positions. Cost: O(log size) a change, O(1) to look; reset() O(vertices).
class GainHeap {
public:
    /// Vertices 0 .. n-1 may be put in. Empties it. Keeps its memory.
    void reset(std::size_t num_vertices) {
        heap_.clear();
        position_.assign(num_vertices, absent);
    }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] bool contains(std::uint32_t v) const { return position_[v] != absent; }
    [[nodiscard]] std::uint32_t top() const { return heap_.front().vertex; }
    [[nodiscard]] double top_gain() const { return heap_.front().gain; }

    /// Puts it in, or changes its gain.
    void set(std::uint32_t v, double gain) {
        std::uint32_t at = position_[v];
        if (at == absent) {
            at = static_cast<std::uint32_t>(heap_.size());
            heap_.push_back({gain, v});
            position_[v] = at;
            up(at);
            return;
        }
        const double before = std::exchange(heap_[at].gain, gain);
        gain > before ? up(at) : down(at);
    }
    void remove(std::uint32_t v) {
        const std::uint32_t at = position_[v];
        position_[v] = absent;
        const Entry last = heap_.back();
        heap_.pop_back();
        if (last.vertex == v) return;
        heap_[at] = last;
        position_[last.vertex] = at;
        up(at);
        down(position_[last.vertex]);
    }

private:
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

    std::vector<Entry> heap_;
    std::vector<std::uint32_t> position_;
};

}  // namespace commmap
