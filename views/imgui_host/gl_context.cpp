#include "views/imgui_host/gl_context.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <array>
#include <vector>

namespace kurve::views {
namespace {

bool initialise(EGLDisplay display) {
    EGLint major = 0, minor = 0;
    return display != EGL_NO_DISPLAY && eglInitialize(display, &major, &minor) && eglBindAPI(EGL_OPENGL_API);
}

/// Mesa's surfaceless platform first; NVIDIA's driver has none and wants a device instead.
EGLDisplay findDisplay() {
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        EGLDisplay display =
            eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        if (initialise(display)) return display;
    }
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") ||
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration"))
        return EGL_NO_DISPLAY;
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count);
    for (EGLint i = 0; i < count; ++i) {
        EGLDisplay display =
            eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr);
        if (initialise(display)) return display;
    }
    return EGL_NO_DISPLAY;
}

EGLContext createContext(EGLDisplay display) {
    const std::array<EGLint, 5> wanted{EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                       EGL_NONE};
    EGLConfig config = nullptr;
    EGLint found = 0;
    eglChooseConfig(display, wanted.data(), &config, 1, &found);
    if (found == 0) config = nullptr;  // EGL_NO_CONFIG_KHR: surfaceless drivers accept it
    const std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION,
                                        3,
                                        EGL_CONTEXT_MINOR_VERSION,
                                        3,
                                        EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                        EGL_NONE};
    return eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
}

Error noContext(const char* code, const char* what) {
    return workError(code, what)
        .fix("install libegl1, libgl1 and libgl1-mesa-dri, or the graphics card's driver");
}

}  // namespace

Result<std::shared_ptr<GlContext>> GlContext::shared() {
    static std::weak_ptr<GlContext> living;
    if (auto context = living.lock()) return context;
    // epoxy ends the process if it is called without the library, so ask first.
    if (!epoxy_has_egl())
        return noContext("gl.no_egl", "this view draws with OpenGL, and libEGL.so.1 is missing");
    EGLDisplay display = findDisplay();
    if (display == EGL_NO_DISPLAY)
        return noContext("gl.no_display",
                         "this view draws with OpenGL, and no driver offers an off-screen display");
    std::shared_ptr<GlContext> context(new GlContext);
    context->display_ = display;
    context->context_ = createContext(display);
    if (context->context_ == EGL_NO_CONTEXT || !context->makeCurrent())
        return noContext("gl.no_context", "this view needs OpenGL 3.3, and the driver does not provide it");
    context->invertsRows_ = epoxy_has_gl_extension("GL_MESA_pack_invert");
    living = context;
    return context;
}

GlContext::~GlContext() {
    if (display_ == nullptr) return;
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != nullptr) eglDestroyContext(display_, context_);
    eglTerminate(display_);
}

bool GlContext::makeCurrent() {
    // Another library may have bound OpenGL ES on this thread.
    eglBindAPI(EGL_OPENGL_API);
    return eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE;
}

}  // namespace kurve::views
