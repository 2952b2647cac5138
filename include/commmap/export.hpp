// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Marks a declaration that programs may use. All other symbols of libcommmap.so are hidden.
#define COMMMAP_EXPORT [[gnu::visibility("default")]]
