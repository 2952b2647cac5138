// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmix_hooks/counting/comm_map.hpp"
#include "pmix_hooks/output/record_memory.hpp"

namespace commmap::fuzz {

/// What a rank's memory is in an input of record_fuzz.cpp: numbers of RecordControl, then the
/// memory as the rank had it mapped at `image_base`, without the texts of its head, which are most
/// of it and are only copied.
struct RecordControl {
    std::uint8_t state;        ///< two bits: running, finished, gathered
    std::uint8_t whole_texts;  ///< a bit for each of the first: no NUL ends it
    std::uint8_t whole_labels;
    std::uint8_t letter;
    std::uint32_t unused;  ///< what follows is aligned to 8 bytes
};
static_assert(sizeof(RecordControl) == 8);

inline constexpr std::uint64_t image_base = 0x7000'0000'0000;

/// Offset and length of each text of a head, in order.
inline const std::vector<std::pair<std::size_t, std::size_t>>& texts_of_head() {
    static const auto texts = [] {
        using hooks::RankLocation;
        using hooks::RecordHead;
        static const RecordHead head;
        const auto* const begin = reinterpret_cast<const char*>(&head);
        std::vector<std::pair<std::size_t, std::size_t>> found;
        const auto add = [&](const auto& text) {
            found.emplace_back(static_cast<std::size_t>(text - begin), sizeof text);
        };
        add(head.location.node);
        add(head.location.cpus);
        add(head.application_id);
        add(head.command);
        add(head.mpi_library);
        add(head.profiles);
        for (std::uint32_t i = 1; i < hooks::PhaseLog::most_labels; ++i) add(head.phases.label(i));
        return found;
    }();
    return texts;
}
inline constexpr std::size_t num_texts_before_labels = 6;

/// Without the texts.
inline std::string squeezed(RecordControl control, std::string_view image) {
    std::string input(reinterpret_cast<const char*>(&control), sizeof control);
    std::size_t at = 0;
    for (const auto& [offset, length] : texts_of_head()) {
        input += image.substr(at, offset - at);
        at = offset + length;
    }
    return input += image.substr(at);
}

/// A rank's memory, with what another build of the recorder would have otherwise put right.
inline std::string expanded(std::string_view input) {
    RecordControl control{};
    std::memcpy(&control, input.data(), std::min(input.size(), sizeof control));
    input.remove_prefix(std::min(input.size(), sizeof control));
    std::string image;
    image.reserve(input.size() + sizeof(hooks::RecordHead));
    std::size_t number = 0;
    for (const auto& [offset, length] : texts_of_head()) {
        const std::string_view numbers = input.substr(0, offset - image.size());
        image += numbers;
        input.remove_prefix(numbers.size());
        image.resize(offset, '\0');  // of an input that ends in the head
        const unsigned whole = number < num_texts_before_labels
                                   ? control.whole_texts >> number
                                   : control.whole_labels >> (number % 8);
        ++number;
        image.append(length, static_cast<char>(control.letter));
        if ((whole & 1) == 0) image[offset + number % length] = '\0';
    }
    image += input;
    if (image.size() < sizeof(hooks::RecordHead)) image.resize(sizeof(hooks::RecordHead), '\0');
    const auto put = [&](std::size_t offset, auto value) {
        std::memcpy(image.data() + offset, &value, sizeof value);
    };
    using hooks::RecordHead;
    put(offsetof(RecordHead, magic), RecordHead::magic_now);
    put(offsetof(RecordHead, layout), hooks::record_layout());
    put(offsetof(RecordHead, base), image_base);
    put(offsetof(RecordHead, state), (control.state & 2) != 0   ? RecordState::gathered
                                     : (control.state & 1) != 0 ? RecordState::finished
                                                                : RecordState::running);
    return image;
}

}  // namespace commmap::fuzz
