#pragma once

#include "core/inspect/curve_model.h"
#include "views/imgui_host/draw.h"

namespace kurve::views {

/// The displayed axes.
enum class CurveAxes : std::uint8_t { First12, First13, Second23, Space };

/// One plot's orthographic projection from axes to pixels. With `layers` the third axis is the denoising step
/// instead of the basis' third direction.
struct CurveProjection {
    ImVec2 origin;  ///< pixels of `centre`
    float scale = 1;
    inspect::SpacePoint centre, right, up;
    bool layers = false;
    float layerHeight = 0;  ///< of one step
    float layerFrom = 0;

    [[nodiscard]] float layer(int step) const { return layerFrom + layerHeight * static_cast<float>(step); }
    [[nodiscard]] ImVec2 at(inspect::SpacePoint p, int step) const;
    /// The vector in the plane of the view that moves a point by so many pixels.
    [[nodiscard]] inspect::SpacePoint along(ImVec2 pixels) const;
};

/// Centre, scale and rotation of all plots of the view. GUI thread.
class CurveCamera {
public:
    void reset() { fitted_ = moved_ = false; }
    /// Fits the whole model in plots of at least this size, unless that was done for this size or the user
    /// has moved the camera.
    void fit(const inspect::CurveModel& model, ImVec2 size);
    void pan(const CurveProjection& projection, ImVec2 pixels);
    /// Zooms about the point at `at`.
    void zoom(const CurveProjection& projection, ImVec2 at, float factor);
    void rotate(float yaw, float pitch);
    void resetRotation();
    /// Changes with every change of the camera.
    [[nodiscard]] std::uint64_t key() const { return key_; }
    /// `layers`: the third axis is the step (in space only).
    [[nodiscard]] CurveProjection projection(CurveAxes axes, const Box& area,
                                             const inspect::CurveModel& model, bool layers) const;

private:
    void changed() { key_ = key_ * 6364136223846793005ULL + 1442695040888963407ULL; }

    inspect::SpacePoint centre_;
    float scale_ = 1, yaw_ = kYaw, pitch_ = kPitch;
    ImVec2 size_;  ///< for which it was fitted
    bool fitted_ = false, moved_ = false;
    std::uint64_t key_ = 1;
    static constexpr float kYaw = 0.5F, kPitch = 0.35F;
};

}  // namespace kurve::views
