#pragma once

/// Marks what programs outside of commmap may call: all other symbols of libcommmap.so are hidden.
#define COMMMAP_EXPORT [[gnu::visibility("default")]]
