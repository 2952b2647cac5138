// A target that exists for its precompiled headers needs a source.
