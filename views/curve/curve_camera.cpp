#include "views/curve/curve_camera.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {
namespace {

constexpr float kMargin = 0.86F, kMostPitch = 1.5F;

inspect::SpacePoint plus(inspect::SpacePoint a, inspect::SpacePoint b, float factor) {
    return {a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

float dot(inspect::SpacePoint a, inspect::SpacePoint b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

}  // namespace

ImVec2 CurveProjection::at(inspect::SpacePoint p, int step) const {
    if (layers) p.z = layer(step);
    const inspect::SpacePoint from = plus(p, centre, -1);
    return {origin.x + scale * dot(from, right), origin.y - scale * dot(from, up)};
}

inspect::SpacePoint CurveProjection::along(ImVec2 pixels) const {
    inspect::SpacePoint out = plus(plus({}, right, pixels.x / scale), up, -pixels.y / scale);
    if (layers) out.z = 0;
    return out;
}

void CurveCamera::fit(const inspect::CurveModel& model, ImVec2 size) {
    if (fitted_ && (moved_ || (size.x == size_.x && size.y == size_.y))) return;
    size_ = size;
    const inspect::SpacePoint low = model.low(), high = model.high();
    centre_ = plus(plus({}, low, 0.5F), high, 0.5F);
    const auto extent = [](float from, float to) { return std::max(to - from, 1e-3F); };
    const float x = extent(low.x, high.x), y = extent(low.y, high.y), z = extent(low.z, high.z);
    // The third axis has the smallest range, except of a random basis.
    scale_ = kMargin * std::min(size.x / std::max(x, std::min(y, z)), size.y / std::max(y, std::min(x, z)));
    fitted_ = true;
    changed();
}

void CurveCamera::pan(const CurveProjection& projection, ImVec2 pixels) {
    centre_ = plus(centre_, projection.along(pixels), -1);
    moved_ = true;
    changed();
}

void CurveCamera::zoom(const CurveProjection& projection, ImVec2 at, float factor) {
    const inspect::SpacePoint off =
        projection.along({at.x - projection.origin.x, at.y - projection.origin.y});
    centre_ = plus(centre_, off, 1 - 1 / factor);
    scale_ *= factor;
    moved_ = true;
    changed();
}

void CurveCamera::rotate(float yaw, float pitch) {
    yaw_ += yaw;
    pitch_ = std::clamp(pitch_ + pitch, -kMostPitch, kMostPitch);
    changed();
}

void CurveCamera::resetRotation() {
    yaw_ = kYaw;
    pitch_ = kPitch;
    changed();
}

CurveProjection CurveCamera::projection(CurveAxes axes, const Box& area, const inspect::CurveModel& model,
                                        bool layers) const {
    CurveProjection out;
    out.origin = {area.x + area.w / 2, area.y + area.h / 2};
    out.scale = scale_;
    out.centre = centre_;
    switch (axes) {
        case CurveAxes::First12:
            out.right = {1, 0, 0};
            out.up = {0, 1, 0};
            break;
        case CurveAxes::First13:
            out.right = {1, 0, 0};
            out.up = {0, 0, 1};
            break;
        case CurveAxes::Second23:
            out.right = {0, 1, 0};
            out.up = {0, 0, 1};
            break;
        case CurveAxes::Space: {
            // A turntable: the second axis is upright, yaw rotates about it, pitch tilts it.
            const float c = std::cos(yaw_), s = std::sin(yaw_), p = std::cos(pitch_), q = std::sin(pitch_);
            out.right = {c, 0, s};
            out.up = {q * s, p, -q * c};
            break;
        }
    }
    if (!layers || axes != CurveAxes::Space) return out;
    out.layers = true;
    const float span = 1.2F * std::max(model.high().x - model.low().x, 1e-3F);
    out.layerHeight = span / static_cast<float>(std::max(1, model.steps() - 1));
    out.layerFrom = centre_.z - span / 2;
    return out;
}

}  // namespace kurve::views
