// Empty on purpose: owns the precompiled LibTorch header that the other translation units reuse.
