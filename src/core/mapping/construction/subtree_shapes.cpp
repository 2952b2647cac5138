// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/subtree_shapes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace commmap {

SubtreeShapes subtree_shapes(const Hct& hct, const PuCounter& counter) {
    SubtreeShapes shapes;
    shapes.all.push_back({{}, 0, 1, 0});
    shapes.of_element.assign(hct.num_elements(), no_id);
    std::map<std::vector<ShapeId>, ShapeId> known;
    for (auto e = static_cast<ElementId>(hct.num_elements());
         e-- > 0;) {  // children before parents
        if (counter.count(e) == 0) continue;
        std::vector<ShapeId> children;
        for (const ElementId child : counter.children(e)) {
            children.push_back(shapes.of_element[child]);
        }
        if (children.size() == 1) {
            shapes.of_element[e] = children.front();
            continue;
        }
        if (children.empty()) {
            shapes.of_element[e] = 0;
            ++shapes.all[0].num_elements;
            continue;
        }
        std::sort(children.begin(), children.end());
        const auto [it, is_new] = known.emplace(children, static_cast<ShapeId>(shapes.all.size()));
        if (is_new) {
            SubtreeShape shape{children, 0, 0, 0};
            for (const ShapeId child : children) {
                shape.height = std::max(shape.height, shapes.all[child].height + 1);
                shape.num_pus += shapes.all[child].num_pus;
            }
            shapes.all.push_back(std::move(shape));
        }
        shapes.of_element[e] = it->second;
        ++shapes.all[it->second].num_elements;
    }
    return shapes;
}

}  // namespace commmap
