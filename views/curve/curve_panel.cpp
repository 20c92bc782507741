#include "views/curve/curve_panel.h"

#include <QComboBox>
#include <QJsonObject>
#include <QToolButton>

#include "core/trace/edit.h"
#include "views/common/chart/view_picture.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/trace_owner.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/linked_playhead.h"
#include "views/common/shell/page_wheel.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
#include "views/curve/basis_form.h"
#include "views/curve/curve_tables.h"

namespace kurve::views {
namespace {

QStringList finalTokens(const trace::Trace& trace) {
    QStringList tokens;
    for (int position = 0; position < trace.positions; ++position) {
        const std::string& recorded = trace.textOf(trace.tokenAt(trace.steps - 1, position));
        const std::string text = recorded.empty() ? "" : inspect::shownText(inspect::tokenText(recorded));
        tokens << QStringLiteral("%1  %2").arg(position).arg(QString::fromStdString(text));
    }
    return tokens;
}

/// Traces of the same one have the same vocabulary.
std::string checkpointOf(const trace::Trace& trace) {
    return trace.metaText("run") + '/' + trace.metaText("checkpoint");
}

}  // namespace

/// Result of a worker.
struct CurvePanel::BuildResult {
    Result<std::shared_ptr<const inspect::CurveModel>> model;
    std::shared_ptr<const inspect::CurveModel> pinned;
    bool keepCamera = false;
};

CurvePanel::CurvePanel(const StudioContext& window, QWidget* parent)
    : Panel(QStringLiteral("curve"), tr("Sentence curve"), withOwnPlayhead(window), parent),
      canvas_(new ImGuiWidget(this)),
      view_(*canvas_) {
    const StudioContext& context = this->context();
    describe(canvas_, "curve.canvas", tr("Sentence curve: control points, curve and tokens in a plane"));
    new PageWheel(*canvas_, *this);
    canvas_->setMinimumHeight(px(150));
    canvas_->setDraw([this] { draw(); });
    canvas_->setTables(
        [this] { return view_.model() != nullptr ? tablesOf(*view_.model()) : std::vector<ViewTable>(); });
    auto* full = new QWidget(this);
    auto* bar = describe(new QWidget(full), {.role = "bar"});
    leaveOutOfFigures(*bar);
    vboxIn(full, {bar, {canvas_, 1}}, {.margins = 0, .spacing = 0});
    setContent(full, [this] { ask<Traces>().openNewest(); });
    addCommands();
    addStepKeys();
    buildLayers();
    buildBar(bar);
    setRotationKeys(false);
    connect(context.selection, &Selection::traceChanged, this, &CurvePanel::traceChanged);
    connect(context.selection, &Selection::referenceChanged, this, &CurvePanel::referenceChanged);
    connect(context.selection, &Selection::positionChanged, this, [this](int position) {
        view_.position = position;
        repaintView();
    });
    view_.setLinkBy(context.selection->linkBy());
    connect(context.selection, &Selection::linkChanged, this, [this] {
        view_.setLinkBy(this->context().selection->linkBy());
        repaintView();
    });
    connect(context.playhead, &Playhead::denoiseStepChanged, this, [this](int step) {
        view_.step = step;
        repaintView();
    });
    traceChanged();
}

CurvePanel::~CurvePanel() = default;

// ---- models ----

void CurvePanel::traceChanged() {
    background_.drop();
    vocabularies_.drop();
    if (loading_) vocabularyOf_.clear();  // the next trace of that checkpoint loads it
    building_ = loading_ = false;
    if (view_.model() != nullptr) former_ = view_.model()->basis();
    const auto trace = context().selection->trace();
    ofTree_ = trace != nullptr && joinsTree(*trace) && former_.has_value();
    view_.setModel(nullptr, lock_->isChecked() || pinned_ != nullptr || ofTree_);
    view_.position = context().selection->position();
    setEmpty(true);
    if (trace == nullptr) {
        setEmptyTexts(tr("No trace is open"), tr("Run a prompt above, or open a trace of the training."),
                      tr("Open newest trace"));
        return;
    }
    if (const auto family = curvelessFamily(*trace)) {
        setEmptyTexts(tr("This trace has no curve"),
                      tr("%1 models have no latents; the timeline shows their tokens.")
                          .arg(QString::fromStdString(family->title)));
        return Q_EMIT availableChanged(false);
    }
    setEmptyTexts(tr("Fitting the basis…"), {});
    if (trace->steps > 0 && trace->positions > 0) basis_->setTokens(finalTokens(*trace));
    build(trace, true);
}

/// A branch is shown on the axes of its parent: on its own axes every point would differ.
bool CurvePanel::joinsTree(const trace::Trace& trace) {
    const std::string run = trace.metaText("run") + '/', own = trace::traceNameOf(trace.file),
                      parent = trace.metaText("branch_parent");
    const bool joins =
        (!own.empty() && tree_.contains(run + own)) || (!parent.empty() && tree_.contains(run + parent));
    if (!joins) tree_.clear();
    for (const std::string& name : {own, parent})
        if (!name.empty()) tree_.insert(run + name);
    return joins;
}

/// The trace's family, if its traces never have latents; null also before the engine has described its
/// families.
std::shared_ptr<const Schema> CurvePanel::curvelessFamily(const trace::Trace& trace) const {
    if (context().engine == nullptr || trace.block("curve") != nullptr || trace.block("latent") != nullptr)
        return nullptr;
    const auto family = context().engine->family(trace.metaText("family"));
    return family != nullptr && family->find("model.latent") == nullptr ? family : nullptr;
}

void CurvePanel::engineInfoChanged() {
    const auto trace = context().selection->trace();
    if (trace != nullptr && curvelessFamily(*trace) != nullptr) traceChanged();
}

void CurvePanel::rebuild() {
    basisButton_->setText(tr("Basis: %1").arg(basis_->summary()));
    if (view_.model() == nullptr) return;
    former_ = view_.model()->basis();
    ofTree_ = false;
    build(view_.model()->sharedTrace(), false);
}

void CurvePanel::build(std::shared_ptr<const trace::Trace> trace, bool keepBasis) {
    inspect::CurveRequest request;
    if (checkpointOf(*trace) == vocabularyOf_) request.vocabulary = vocabulary_;
    request.choice = basis_->choice(context().playhead->denoiseStep());
    request.former = former_;
    request.curve = curve_->currentIndex() - 1;  // the first entry is the selected one
    const bool two = pinned_ != nullptr && pinned_->sharedTrace() != trace;
    offerOther(two);
    if (two) request.other = pinned_->sharedTrace();
    // A basis of both traces changes with each trace.
    const bool fixed =
        keepBasis && (lock_->isChecked() || ofTree_ || (pinned_ != nullptr && !basis_->needsOther()));
    if (fixed && pinned_ != nullptr)
        request.basis = pinned_->basis();
    else if (fixed)
        request.basis = former_;
    request.trace = std::move(trace);
    building_ = true;
    background_.run(
        [request, fixed, pinned = pinned_]() -> BuildResult {
            BuildResult built{inspect::CurveModel::create(request), pinned, fixed};
            if (!built.model || pinned == nullptr || fixed) return built;
            inspect::CurveRequest ofPinned;
            ofPinned.trace = pinned->sharedTrace();
            ofPinned.vocabulary = pinned->sharedVocabulary();
            ofPinned.choice = request.choice;
            ofPinned.basis = (*built.model)->basis();
            if (auto model = inspect::CurveModel::create(ofPinned)) built.pinned = *model;
            return built;
        },
        [this](BuildResult built) { take(std::move(built)); });
}

void CurvePanel::take(BuildResult built) {
    building_ = false;
    if (!built.model) {
        const Error& error = built.model.error();
        setEmptyTexts(tr("This trace has no curve"),
                      QString::fromStdString(error.message + "; " + error.remedy) + QLatin1Char('.'));
        return Q_EMIT availableChanged(false);
    }
    view_.setModel(*built.model, built.keepCamera);
    if (basis_->choice(0).kind == inspect::BasisKind::Lda &&
        view_.model()->basis().kind == inspect::BasisKind::Pca)
        basisButton_->setText(tr("Basis: PCA in place of LDA"));
    const bool later = pinned_ == nullptr && context().selection->reference() != nullptr;
    pinned_ = pinned_ != nullptr ? std::move(built.pinned) : nullptr;
    view_.setOther(pinned_);
    if (later) referenceChanged();
    listCurves();
    view_.step = context().playhead->denoiseStep();
    setEmpty(false);
    repaintView();
    loadVocabulary();
    Q_EMIT availableChanged(true);
}

void CurvePanel::listCurves() {
    const int curves = view_.model()->curves();
    curve_->setVisible(curves > 1);
    if (curve_->count() == curves + 1) return;
    curve_->clear();
    curve_->addItem(tr("Selected curve"));
    for (int n = 1; n <= curves; ++n) curve_->addItem(tr("Curve %1").arg(n));
}

void CurvePanel::loadVocabulary() {
    const inspect::CurveModel& model = *view_.model();
    if (context().project == nullptr || model.vocabulary() == nullptr || model.vocabulary()->whole()) return;
    const auto trace = model.sharedTrace();
    if (trace->metaText("run").empty() || checkpointOf(*trace) == vocabularyOf_) return;
    vocabularyOf_ = checkpointOf(*trace);
    vocabulary_ = nullptr;
    vocabularyProblem_.clear();
    loading_ = true;
    vocabularies_.run([source = trace::vocabularySourceOf(*context().project, *trace),
                       trace] { return trace::Vocabulary::load(source, *trace); },
                      [this](const Result<std::shared_ptr<const trace::Vocabulary>>& loaded) {
                          loading_ = false;
                          vocabularyProblem_ = loaded ? std::string() : loaded.error().text();
                          if (!loaded || view_.model() == nullptr) return;
                          vocabulary_ = *loaded;
                          former_ = view_.model()->basis();
                          build(view_.model()->sharedTrace(), true);
                      });
}

void CurvePanel::pin() {
    const bool on = pin_->isChecked() && view_.model() != nullptr;
    pin_->setChecked(on);
    context().selection->setReference(on ? view_.model()->sharedTrace() : nullptr);
    if (on) Q_EMIT statusMessage(tr("Pinned as B; open another trace to compare."));
}

void CurvePanel::referenceChanged() {
    const auto reference = context().selection->reference();
    pin_->setChecked(reference != nullptr);
    references_.drop();
    if (reference == nullptr || view_.model() == nullptr) return showPinned(nullptr);
    if (reference == view_.model()->sharedTrace()) return showPinned(view_.sharedModel());
    inspect::CurveRequest request;
    request.trace = reference;
    if (checkpointOf(*reference) == vocabularyOf_) request.vocabulary = vocabulary_;
    request.choice = basis_->choice(context().playhead->denoiseStep());
    request.basis = view_.model()->basis();
    references_.run([request] { return inspect::CurveModel::create(request); },
                    [this](const Result<std::shared_ptr<const inspect::CurveModel>>& made) {
                        showPinned(made ? *made : nullptr);
                    });
}

void CurvePanel::showPinned(std::shared_ptr<const inspect::CurveModel> model) {
    // Both are shown on the same axes: B needs the same dimensions.
    if (model != nullptr && view_.model() != nullptr && model->dims() != view_.model()->dims())
        model = nullptr;
    pinned_ = std::move(model);
    view_.setOther(pinned_);
    view_.fit();
    repaintView();
    const bool neededOther = basis_->needsOther();
    offerOther(pinned_ != nullptr && view_.model() != nullptr &&
               pinned_->sharedTrace() != view_.model()->sharedTrace());
    if (neededOther != basis_->needsOther() || (pinned_ != nullptr && basis_->needsOther())) rebuild();
}

void CurvePanel::offerOther(bool on) {
    basis_->setHasOther(on);
    basisButton_->setText(tr("Basis: %1").arg(basis_->summary()));
}

void CurvePanel::draw() {
    follow(view_.draw());
}

void CurvePanel::follow(const CurveIntent& intent) {
    if (intent.editBegan) startSearch();
    if (intent.editBegan || intent.editMoved) publishPreview();
    if (intent.editReleased) requestBranch();
    if (intent.position >= 0) context().selection->setPosition(intent.position);
    if (intent.step >= 0) context().playhead->setDenoiseStep(intent.step);
}

QString CurvePanel::statement() const {
    const inspect::CurveModel* model = view_.model();
    if (model == nullptr) return tr("No curve is shown.");
    QString text = tr("Step %1 of %2: %3; the plane shows %4 % of the variance.")
                       .arg(view_.step + 1)
                       .arg(model->steps())
                       .arg(QString::fromStdString(model->description()))
                       .arg(100 * model->explained(), 0, 'f', 0);
    if (const QString owner = ownerOf(*model->sharedTrace(), context()).text; !owner.isEmpty())
        text = owner + QStringLiteral(" · ") + text;
    if (ofTree_) text += tr(" Axes of the previous trace of the branch tree.");
    if (!vocabularyProblem_.empty() && checkpointOf(*model->sharedTrace()) == vocabularyOf_)
        text += QLatin1Char(' ') + QString::fromStdString(vocabularyProblem_);
    return text;
}

}  // namespace kurve::views
