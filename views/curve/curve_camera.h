#pragma once

#include "views/curve/curve_model.h"
#include "views/imgui_host/draw.h"

namespace kurve::views {

/// How the three axes come onto the screen.
enum class CurveAxes : std::uint8_t { First12, First13, Second23, Space };

/// One plot's way from axes to pixels: an orthographic projection. With `layers` the third axis is the
/// denoising step instead of the basis' third direction.
struct CurveSight {
    ImVec2 origin;  ///< pixels of `centre`
    float scale = 1;
    SpacePoint centre, right, up;
    bool layers = false;
    float layerHeight = 0;  ///< of one step
    float layerFrom = 0;

    [[nodiscard]] float layer(int step) const { return layerFrom + layerHeight * static_cast<float>(step); }
    [[nodiscard]] ImVec2 at(SpacePoint p, int step) const;
    /// The vector in the plane of the view that moves a point by so many pixels.
    [[nodiscard]] SpacePoint along(ImVec2 pixels) const;
};

/// What all plots of the view share: centre, scale and turn; so they are linked. GUI thread.
class CurveCamera {
public:
    void forget() { fitted_ = moved_ = false; }
    [[nodiscard]] bool fitted() const { return fitted_; }
    /// Shows a model as a whole in plots of at least this size, if that was not done before or, as long as no
    /// hand has moved it, was done for another size.
    void fit(const CurveModel& model, ImVec2 size);
    void pan(const CurveSight& sight, ImVec2 pixels);
    /// Zooms; the point under `at` stays where it is.
    void zoom(const CurveSight& sight, ImVec2 at, float factor);
    void turn(float yaw, float pitch);
    void resetTurn();
    /// Changes whenever anything of it did.
    [[nodiscard]] std::uint64_t key() const { return key_; }
    /// `layers`: steps stand above each other along the third axis (in space only).
    [[nodiscard]] CurveSight sight(CurveAxes axes, const Box& area, const CurveModel& model,
                                   bool layers) const;

private:
    void changed() { key_ = key_ * 6364136223846793005ULL + 1442695040888963407ULL; }

    SpacePoint centre_;
    float scale_ = 1, yaw_ = kYaw, pitch_ = kPitch;
    ImVec2 size_;  ///< for which it was fitted
    bool fitted_ = false, moved_ = false;
    std::uint64_t key_ = 1;
    static constexpr float kYaw = 0.5F, kPitch = 0.35F;
};

}  // namespace kurve::views
