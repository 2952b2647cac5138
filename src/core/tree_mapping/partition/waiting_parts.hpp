// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "commmap/ids.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"
#include "core/tree_mapping/graph/hierarchy.hpp"

namespace commmap {

/// The graph of some ranks, with its coarser graphs.
class Part {
public:
    explicit Part(CsrGraph graph)
        : own_(std::make_unique<const CsrGraph>(std::move(graph))), hierarchy_(*own_) {}
    /// Makes the part of all ranks of a graph, which must outlive the object.
    explicit Part(const CsrGraph* all) : hierarchy_(*all) {}
    /// Makes one half of a part that was halved.
    Part(const Part& whole, const Sides& sides, std::uint8_t side)
        : own_(std::make_unique<const CsrGraph>(graph_of_side(whole.graph(), sides, side))),
          hierarchy_(whole.hierarchy_.of_side(*own_, sides, side)) {}

    [[nodiscard]] const CsrGraph& graph() const { return hierarchy_.graph(0); }
    [[nodiscard]] Hierarchy& hierarchy() { return hierarchy_; }

private:
    std::unique_ptr<const CsrGraph> own_;
    Hierarchy hierarchy_;
};

/// Parts that are still to be halved. The place where a part's ranks begin is its key.
/// Threads: safe.
class WaitingParts {
public:
    /// @return  none if there is no such part
    std::unique_ptr<Part> take(const RankId* begin) {
        const std::lock_guard lock(mutex_);
        const auto found = parts_.find(begin);
        if (found == parts_.end()) return nullptr;
        std::unique_ptr<Part> part = std::move(found->second);
        parts_.erase(found);
        return part;
    }
    void put(const RankId* begin, std::unique_ptr<Part> part) {
        const std::lock_guard lock(mutex_);
        const bool is_new = parts_.emplace(begin, std::move(part)).second;
        assert(is_new && "a part was not taken");
        static_cast<void>(is_new);
    }

private:
    std::mutex mutex_;
    std::map<const RankId*, std::unique_ptr<Part>> parts_;
};

}  // namespace commmap
