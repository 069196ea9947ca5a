// This file is empty on purpose: it owns the precompiled LibTorch header that the other translation
// units reuse.
