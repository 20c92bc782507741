#pragma once

#include <memory>

#include "core/base/result.h"

namespace kurve::views {

/// The process's one off-screen OpenGL 3.3 core context: EGL without any surface, so it works under X,
/// Wayland, the offscreen platform and with no display at all. Shared by all ImGui widgets, each of which
/// draws into a framebuffer of its own; lives as long as one of them. GUI thread only.
class GlContext {
public:
    /// Errors: gl.no_egl (no library), gl.no_display (no driver offers a surfaceless display), gl.no_context.
    static Result<std::shared_ptr<GlContext>> shared();
    ~GlContext();
    GlContext(const GlContext&) = delete;
    GlContext& operator=(const GlContext&) = delete;

    bool makeCurrent();
    /// The driver can hand pixels over top row first (GL_MESA_pack_invert).
    [[nodiscard]] bool invertsRows() const { return invertsRows_; }

private:
    GlContext() = default;
    void* display_ = nullptr;
    void* context_ = nullptr;
    bool invertsRows_ = false;
};

}  // namespace kurve::views
