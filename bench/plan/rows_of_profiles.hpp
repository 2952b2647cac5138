// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "../measure.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap {

/// The main program of a benchmark that is called with CLUSTER_YAML PROFILE... and prints a list of
/// rows. @param row  of the profile of that path. @return the exit code
inline int rows_of_profiles(int argc, char** argv,
                            nlohmann::json (*row)(const std::string& path,
                                                  const Cluster& cluster)) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s CLUSTER_YAML PROFILE...\n", argv[0]);
        return 2;
    }
    try {
        const Cluster cluster = must(read_cluster_yaml(argv[1]));
        nlohmann::json rows = nlohmann::json::array();
        for (int i = 2; i < argc; ++i) rows.push_back(row(argv[i], cluster));
        std::printf("%s\n", rows.dump(2).c_str());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 1;
    }
}

}  // namespace commmap
