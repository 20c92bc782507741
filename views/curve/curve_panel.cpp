#include "views/curve/curve_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QJsonObject>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/trace/edit.h"
#include "views/common/command_registry.h"
#include "views/common/empty_state.h"
#include "views/common/engine_info.h"
#include "views/common/linked_playhead.h"
#include "views/common/page_wheel.h"
#include "views/common/playhead.h"
#include "views/common/recording_owner.h"
#include "views/common/selection.h"
#include "views/common/statement_line.h"
#include "views/common/theme.h"
#include "views/common/view_picture.h"
#include "views/curve/basis_form.h"
#include "views/curve/curve_tables.h"

namespace kurve::views {
namespace {

std::string metaOf(const trace::Trace& trace, const char* key) {
    const auto found = trace.meta.find(key);
    return found == trace.meta.end() ? std::string() : found->second;
}

QStringList finalWords(const trace::Trace& trace) {
    QStringList words;
    for (int slot = 0; slot < trace.slots; ++slot) {
        const auto piece = trace.pieces.find(trace.tokens[trace.cell(trace.steps - 1, slot)]);
        const std::string text = piece == trace.pieces.end() ? "" : shownText(pieceText(piece->second));
        words << QStringLiteral("%1  %2").arg(slot).arg(QString::fromStdString(text));
    }
    return words;
}

}  // namespace

/// What a worker hands back.
struct CurvePanel::Made {
    Result<std::shared_ptr<const CurveModel>> model;
    std::shared_ptr<const CurveModel> pinned;
    bool keepCamera = false;
};

CurvePanel::CurvePanel(const StudioContext& window, QWidget* parent)
    : Panel(QStringLiteral("curve"), tr("Sentence curve"), withOwnPlayhead(window), parent),
      canvas_(new ImGuiWidget(this)),
      view_(*canvas_) {
    const StudioContext& context = this->context();
    canvas_->setObjectName(QStringLiteral("curve.canvas"));
    new PageWheel(*canvas_, *this);
    canvas_->setMinimumHeight(px(150));
    canvas_->setAccessibleName(tr("Sentence curve: control points, curve and words in a plane"));
    canvas_->setDraw([this] { draw(); });
    giveTables(*canvas_, [this] {
        return view_.model() != nullptr ? tablesOf(*view_.model()) : std::vector<ViewTable>();
    });
    empty_ = new EmptyState(this);
    connect(empty_, &EmptyState::clicked, this, &CurvePanel::recordedTraceWanted);
    auto* full = new QWidget(this);
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QWidget(full);
    bar->setProperty("role", "bar");
    leaveOutOfFigures(*bar);
    column->addWidget(bar);
    column->addWidget(canvas_, 1);
    stack_ = new QStackedLayout(this);
    stack_->addWidget(empty_);
    stack_->addWidget(full);
    addCommands();
    addStepKeys();
    buildLayers();
    buildBar(bar);
    setTurning(false);
    connect(context.selection, &Selection::traceChanged, this, &CurvePanel::traceChanged);
    connect(context.selection, &Selection::referenceChanged, this, &CurvePanel::referenceChanged);
    connect(context.selection, &Selection::slotChanged, this, [this](int slot) {
        view_.slot = slot;
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
    new StatementLine(*this);
    traceChanged();
}

CurvePanel::~CurvePanel() = default;

// ---- models ----

void CurvePanel::traceChanged() {
    background_.drop();
    vocabularies_.drop();
    building_ = loading_ = false;
    if (view_.model() != nullptr) former_ = view_.model()->basis();
    const auto trace = context().selection->trace();
    ofTree_ = trace != nullptr && joinsTree(*trace) && former_.has_value();
    view_.setModel(nullptr, lock_->isChecked() || pinned_ != nullptr || ofTree_);
    view_.slot = context().selection->slot();
    stack_->setCurrentIndex(0);
    if (trace == nullptr) {
        empty_->setTexts(
            tr("No sentence curve yet"),
            tr("Type a sentence above and press Ctrl+Enter, or open one that training recorded."),
            tr("Open the newest recording"));
        return;
    }
    if (const auto family = curvelessFamily(*trace)) {
        empty_->setTexts(
            tr("This recording has no curve"),
            tr("%1 models have none: they work on words, not on points between them. The timeline "
               "shows the words step by step.")
                .arg(QString::fromStdString(family->title)));
        return;
    }
    empty_->setTexts(tr("Fitting the plane…"), {});
    if (trace->steps > 0 && trace->slots > 0) basis_->setWords(finalWords(*trace));
    build(trace, true);
}

/// A branch differs from what it branched from by the hand's doing alone: on axes of its own it would seem to
/// have moved everywhere.
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

/// The recording's family, if nothing could be drawn of it however it is recorded; null also while the engine
/// has not yet said what its families are.
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
    CurveRequest request;
    const std::string key = metaOf(*trace, "run") + '/' + metaOf(*trace, "checkpoint");
    if (vocabulary_ != nullptr && key == vocabularyOf_) request.vocabulary = vocabulary_;
    request.choice = basis_->choice(context().playhead->denoiseStep());
    request.former = former_;
    request.curve = curve_->currentIndex() - 1;  // the first entry is the one that was taken
    const bool two = pinned_ != nullptr && pinned_->sharedTrace() != trace;
    offerOther(two);
    if (two) request.beside = pinned_->sharedTrace();
    // A basis of both recordings is one of these two: the next recording has another.
    const bool kept =
        keepBasis && (lock_->isChecked() || ofTree_ || (pinned_ != nullptr && !basis_->needsOther()));
    if (kept && pinned_ != nullptr)
        request.kept = pinned_->basis();
    else if (kept)
        request.kept = former_;
    request.trace = std::move(trace);
    building_ = true;
    background_.run(
        [request, kept, pinned = pinned_]() -> Made {
            Made made{CurveModel::create(request), pinned, kept};
            if (!made.model || pinned == nullptr || kept) return made;
            CurveRequest other;
            other.trace = pinned->sharedTrace();
            other.vocabulary = pinned->sharedVocabulary();
            other.choice = request.choice;
            other.kept = (*made.model)->basis();
            if (request.beside != nullptr) other.beside = request.trace;  // its axes are called the same
            if (auto again = CurveModel::create(other)) made.pinned = *again;
            return made;
        },
        [this](Made made) { take(std::move(made)); });
}

void CurvePanel::take(Made made) {
    building_ = false;
    if (!made.model) {
        const Error& error = made.model.error();
        empty_->setTexts(tr("This recording has no curve"),
                         QString::fromStdString(error.message + "; " + error.remedy) + QLatin1Char('.'));
        return Q_EMIT curveMissing();
    }
    view_.setModel(*made.model, made.keepCamera);
    const bool later = pinned_ == nullptr && context().selection->reference() != nullptr;
    pinned_ = pinned_ != nullptr ? std::move(made.pinned) : nullptr;
    view_.setOther(pinned_, "B");
    if (later) referenceChanged();
    listCurves();
    view_.step = context().playhead->denoiseStep();
    stack_->setCurrentIndex(1);
    repaintView();
    loadVocabulary();
}

void CurvePanel::listCurves() {
    const int curves = view_.model()->curves();
    curve_->setVisible(curves > 1);
    if (curve_->count() == curves + 1) return;
    curve_->clear();
    curve_->addItem(tr("the curve taken"));
    for (int n = 1; n <= curves; ++n) curve_->addItem(tr("curve %1").arg(n));
}

void CurvePanel::loadVocabulary() {
    const CurveModel& model = *view_.model();
    if (context().project == nullptr || model.vocabulary() == nullptr || model.vocabulary()->whole()) return;
    const auto trace = model.sharedTrace();
    const std::string key = metaOf(*trace, "run") + '/' + metaOf(*trace, "checkpoint");
    if (metaOf(*trace, "run").empty() || key == vocabularyOf_) return;
    vocabularyOf_ = key;
    vocabulary_ = nullptr;
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
    if (on) Q_EMIT statusMessage(tr("Pinned as B: open another recording to see both on the same axes."));
}

void CurvePanel::referenceChanged() {
    const auto reference = context().selection->reference();
    pin_->setChecked(reference != nullptr);
    references_.drop();
    if (reference == nullptr || view_.model() == nullptr) return showPinned(nullptr);
    if (reference == view_.model()->sharedTrace()) return showPinned(view_.sharedModel());
    CurveRequest request;
    request.trace = reference;
    request.choice = basis_->choice(context().playhead->denoiseStep());
    request.kept = view_.model()->basis();
    references_.run([request] { return CurveModel::create(request); },
                    [this](const Result<std::shared_ptr<const CurveModel>>& made) {
                        showPinned(made ? *made : nullptr);
                    });
}

void CurvePanel::showPinned(std::shared_ptr<const CurveModel> model) {
    // Two pictures on different axes would lie: a recording of other dimensions is not shown beside.
    if (model != nullptr && view_.model() != nullptr && model->dims() != view_.model()->dims())
        model = nullptr;
    pinned_ = std::move(model);
    view_.setOther(pinned_, "B");
    view_.fit();
    repaintView();
    const bool needed = basis_->needsOther();
    offerOther(pinned_ != nullptr && view_.model() != nullptr &&
               pinned_->sharedTrace() != view_.model()->sharedTrace());
    if (needed != basis_->needsOther() || (pinned_ != nullptr && basis_->needsOther())) rebuild();
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
    if (intent.editBegan || intent.editMoved) tellPreview();
    if (intent.editReleased) release();
    if (intent.slot >= 0) context().selection->setSlot(intent.slot);
    if (intent.step >= 0) context().playhead->setDenoiseStep(intent.step);
}

QString CurvePanel::statement() const {
    const CurveModel* model = view_.model();
    if (model == nullptr) return tr("No sentence curve is shown.");
    QString text = tr("Step %1 of %2: %3; the plane shows %4 % of the variance.")
                       .arg(view_.step + 1)
                       .arg(model->steps())
                       .arg(QString::fromStdString(model->description()))
                       .arg(100 * model->explained(), 0, 'f', 0);
    if (const QString whose = ownerOf(*model->sharedTrace(), context()).text; !whose.isEmpty())
        text = whose + QStringLiteral(" · ") + text;
    if (ofTree_) text += tr(" Its axes are those of the recording before, of the same tree of branches.");
    if (!vocabularyProblem_.empty()) text += QLatin1Char(' ') + QString::fromStdString(vocabularyProblem_);
    return text;
}

}  // namespace kurve::views
