#include <fmt/format.h>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "core/base/counted.h"
#include "core/curve/reconstruction_grid.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

struct SplineRequest {
    int length = 0;
    std::optional<int> controlPoints, degree;
    double rho = 2, kappa = 0.01, margin = 0.01, ridge = 0;
    std::string knots = "clamped";
    bool grid = false;
};

// Without --control-points or --degree the papers' rules choose them from the length.
curve::SplineShape shapeOf(const SplineRequest& request) {
    curve::ShapeRule rule{request.rho, request.kappa, request.degree.value_or(0), request.margin};
    curve::SplineShape shape = rule.shapeFor(request.length);
    if (request.controlPoints) shape = {request.length, *request.controlPoints, 0, request.margin};
    if (request.controlPoints && !request.degree) {
        const int byRatio = static_cast<int>(request.kappa * *request.controlPoints);
        shape.degree = std::min(*request.controlPoints - 1, std::max(2, byRatio));
    }
    if (request.degree) shape.degree = *request.degree;
    shape.knots = request.knots == "unclamped" ? curve::Knots::Unclamped : curve::Knots::Clamped;
    shape.ridge = request.ridge;
    return shape;
}

json rows(const curve::Matrix& matrix) {
    json all = json::array();
    for (int r = 0; r < matrix.rows; ++r) {
        const auto first = matrix.data.begin() + static_cast<std::ptrdiff_t>(r) * matrix.cols;
        all.push_back(std::vector<double>(first, first + matrix.cols));
    }
    return all;
}

json shapeJson(const curve::SplineShape& shape) {
    return {{"length", shape.words},
            {"control_points", shape.controlPoints},
            {"degree", shape.degree},
            {"margin", shape.margin},
            {"knots", shape.knots == curve::Knots::Clamped ? "clamped" : "unclamped"},
            {"ridge", shape.ridge}};
}

json documentOf(const curve::SplineShape& shape, const curve::SplineReport& report) {
    json document = shapeJson(shape);
    document["psi"] = rows(curve::psi(shape));
    document["pinv"] = rows(curve::pseudoInverse(shape));
    document["knot_vector"] = curve::knotVector(shape);
    document["positions"] = curve::wordPositions(shape);
    document["greville"] = curve::greville(shape);
    document["rank"] = report.rank;
    document["singular_values"] = report.singularValues;
    document["reconstruction_mse"] = report.reconstructionMse;
    document["R_L"] = report.R_L;
    document["R_M"] = report.R_M;
    document["R_1"] = report.R_1;
    document["trace"] = report.trace;
    document["lambda_max"] = report.lambdaMax;
    document["lambda_min"] = report.lambdaMin;
    document["input_gain"] = report.inputGain;
    document["neighbour_correlation"] = report.neighbourCorrelation;
    document["dead_control_points"] = report.deadControlPoints;
    document["words_per_control_point"] = report.wordsPerControlPoint;
    return document;
}

std::string textOf(const curve::SplineShape& shape, const curve::SplineReport& report) {
    std::string text = fmt::format("{} on {}, degree {}\n", counted(shape.words, "word"),
                                   counted(shape.controlPoints, "control point"), shape.degree);
    const auto line = [&](const char* label, const std::string& value) {
        text += fmt::format("  {:<26}{}\n", label, value);
    };
    line("rank", fmt::format("{} of {} words", report.rank, shape.words));
    line("reconstruction MSE", fmt::format("{:.4g}", report.reconstructionMse));
    line("R_L / R_M / R_1", fmt::format("{:.4f} / {:.4f} / {:.4f}", report.R_L, report.R_M, report.R_1));
    line("input gain",
         fmt::format("{:.4g}{}", report.inputGain,
                     report.inputGain > curve::kHighInputGain
                         ? "  (high: raise --control-points, lower --degree or set --ridge 0.01)"
                         : ""));
    line("words per control point", fmt::format("{:.2f}", report.wordsPerControlPoint));
    line("dead control points", std::to_string(report.deadControlPoints));
    text += "--json gives the matrices\n";
    return text;
}

json cellJson(const curve::DegreeRule& rule, double rho, const curve::ReconstructionCell& cell) {
    return {{"degree_rule", rule.name},
            {"rho", rho},
            {"control_points", cell.controlPoints},
            {"degree", cell.degree},
            {"mse_float64", cell.mse64},
            {"mse_float32", cell.mse32}};
}

/// The reconstruction errors of Figure 8 for one length: a row for each rule of the degree, a column for each
/// rho; in float32, and in float64 where they differ.
void printGrid(const curve::SplineShape& like, Output& out) {
    json cells = json::array();
    std::string text = fmt::format("reconstruction MSE of {}: float32 (float64 where it differs)\n{:<8}",
                                   counted(like.words, "word"), "degree");
    for (const double rho : curve::gridRhos()) text += fmt::format("{:>15}", fmt::format("rho {}", rho));
    for (const curve::DegreeRule& rule : curve::gridRules()) {
        text += fmt::format("\n{:<8}", rule.name);
        for (const double rho : curve::gridRhos()) {
            const curve::ReconstructionCell cell = curve::gridCell(like, rule, rho);
            cells.push_back(cellJson(rule, rho, cell));
            text += fmt::format("{:>15}", cell.mse32 == cell.mse64
                                              ? fmt::format("{:.3f}", cell.mse32)
                                              : fmt::format("{:.3f} ({:.3f})", cell.mse32, cell.mse64));
        }
    }
    out.result({{"length", like.words}, {"cells", cells}}, text + "\n");
}

}  // namespace

Action setupSpline(CLI::App& app) {
    auto request = std::make_shared<SplineRequest>();
    app.add_option("--length", request->length, "words L")->required();
    app.add_option("--control-points", request->controlPoints, "control points M (default: by --rho)");
    app.add_option("--degree", request->degree, "polynomial degree k (default: by --kappa)");
    app.add_option("--rho", request->rho, "control points per word")->check(CLI::Range(0.01, 100.0));
    app.add_option("--kappa", request->kappa, "degree per control point, at least 2")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--margin", request->margin, "distance of the first and last word from the ends");
    app.add_option("--knots", request->knots, "clamped or unclamped")
        ->check(CLI::IsMember({"clamped", "unclamped"}));
    app.add_option("--ridge", request->ridge, "lambda of the ridge inverse; 0: Moore-Penrose");
    app.add_flag("--grid", request->grid,
                 "instead: the reconstruction error over rho and degree (SCLM, Figure 8)");
    return [request](const CommonOptions&, Output& out) -> Status {
        const curve::SplineShape shape = shapeOf(*request);
        KURVE_CHECKED(curve::checkShape(shape));
        if (request->grid) {
            printGrid(shape, out);
            return {};
        }
        const curve::SplineReport report = curve::report(shape);
        out.result(documentOf(shape, report), textOf(shape, report));
        return {};
    };
}

}  // namespace kurve::engine
