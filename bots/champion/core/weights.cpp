// Found by chance and kept where they won: a few hundred tries for each set of modifiers.
#include "policy.hpp"

namespace tricks {

namespace {

// By reverse, mild, aggravated and delayed, in the order of the fields.
const Weights kWeights[16] = {
    // plain
    {0.386F, 0.145F, -0.187F, 0.0769F, 0.193F, 0.742F, 0.923F, 0.155F, 1.0F, 0.02F, -0.13F, 6.49F,
     -0.0325F, -0.324F, 0.107F, 0.0616F, -0.833F},
    // delayed
    {0.386F, 0.145F, -0.187F, 0.0769F, 0.193F, 0.742F, 0.923F, 0.155F, 1.0F, 0.02F, -0.13F, 6.49F,
     -0.0325F, -0.324F, 0.107F, 0.0616F, -0.833F},
    // aggravated
    {1.0F, 0.145F, -0.187F, 0.0769F, 0.0299F, 0.742F, 0.923F, 0.108F, 1.0F, 0.0F, -0.129F, 5.71F,
     -0.0325F, -0.324F, 0.107F, 0.0616F, -0.2F},
    // aggravated+delayed
    {-0.18F, 0.145F, -0.388F, -0.0876F, 0.193F, 0.455F, 0.923F, 0.0F, 1.0F, 0.0F, -0.13F, 0.928F,
     -0.0325F, 0.391F, 0.122F, 0.242F, -0.324F},
    // mild
    {0.752F, 0.145F, -0.187F, 0.0769F, 0.193F, 0.742F, 0.923F, 0.0F, 0.538F, 0.02F, -0.444F, 0.928F,
     -0.0325F, -0.324F, 0.317F, 0.132F, -0.542F},
    // mild+delayed
    {0.802F, 0.145F, -0.388F, 0.0769F, 0.399F, 0.742F, 0.923F, 0.0F, 0.978F, 0.0F, -0.13F, 0.438F,
     0.0106F, 0.391F, -0.157F, 0.0616F, -0.833F},
    // mild+aggravated
    {1.0F, 0.145F, -0.187F, 0.0769F, 0.193F, 0.742F, 0.923F, 0.108F, 1.0F, 0.02F, -0.13F, 5.71F,
     -0.0325F, -0.425F, 0.107F, 0.0616F, -0.833F},
    // mild+aggravated+delayed
    {1.0F, 0.145F, -0.187F, 0.0769F, 0.0122F, 0.742F, 0.923F, 0.108F, 1.0F, 0.02F, -0.13F, 9.45F,
     -0.0325F, -0.277F, 0.178F, 0.322F, -2.52F},
    // reverse
    {-0.0194F, 0.236F, 0.665F, -0.113F, -0.665F, 0.493F, 0.602F, 1.65F, 0.551F, 0.012F, -0.25F,
     0.0908F, 0.0F, 2.4F, -0.0671F, 0.1F, -0.899F},
    // reverse+delayed
    {2.42F, 0.3F, -0.152F, 0.333F, -0.603F, 0.2F, 0.205F, 0.0F, 0.834F, 0.02F, 0.0F, -0.0813F, 0.0F,
     3.27F, 0.197F, 0.0937F, -0.816F},
    // reverse+aggravated
    {-0.0194F, 0.236F, 0.665F, 0.0333F, -0.79F, 0.493F, 0.602F, 1.34F, 0.551F, 0.119F, -0.25F,
     0.0908F, 0.0F, 2.23F, -0.0671F, -0.258F, -0.899F},
    // reverse+aggravated+delayed
    {2.42F, 0.3F, -0.152F, 0.333F, -1.04F, 0.2F, 0.205F, 0.0F, 0.668F, 0.0F, 0.0F, -0.188F, 0.0F,
     2.36F, -0.0706F, 0.685F, -0.118F},
    // reverse+mild
    {-0.0194F, 0.236F, 0.665F, -0.113F, -0.665F, 0.493F, 0.602F, 1.65F, 0.551F, 0.012F, -0.25F,
     0.0908F, 0.0F, 2.4F, -0.0671F, 0.1F, -0.899F},
    // reverse+mild+delayed
    {2.42F, 0.3F, -0.175F, 0.333F, -0.606F, 0.2F, 0.205F, 0.0F, 0.949F, 0.02F, 0.0F, 0.0285F, 0.0F,
     5.58F, 0.228F, 0.0937F, -0.302F},
    // reverse+mild+aggravated
    {0.108F, 0.236F, 1.27F, -0.113F, -1.0F, 0.2F, 0.602F, 0.603F, 0.551F, 0.0F, -0.491F, 0.0243F,
     0.0F, 2.4F, -0.0671F, 0.622F, -0.35F},
    // reverse+mild+aggravated+delayed
    {2.42F, 0.3F, 0.204F, 0.333F, -3.05F, 0.859F, 0.205F, 0.0F, 1.0F, 0.196F, 0.0397F, 0.178F,
     -0.149F, 3.27F, 0.715F, -0.0901F, -0.445F},
};

// The plain game with three seats, tried on its own.
const Weights kThree = {0.707F,   0.145F,   -0.49F, 0.0769F, 0.158F,   0.471F,
                        1.29F,    0.378F,   0.131F, 0.02F,   -0.0215F, 7.89F,
                        -0.0607F, -0.0583F, 0.136F, 0.0156F, -0.17F};

const HatWeights kHat = {3.34F, -0.666F,   1.88F,   0.237F, 0.326F, 1.0F,
                         0.02F, -0.00399F, -0.135F, 1.18F,  0.419F};

} // namespace

const Weights &weights_for(const Rules &rules) {
  bool plain = !(rules.reverse || rules.mild || rules.aggravated || rules.delayed);
  if (plain && rules.seats == 3)
    return kThree;
  return kWeights[rules.reverse << 3 | rules.mild << 2 | rules.aggravated << 1 | rules.delayed];
}

const HatWeights &hat_weights() { return kHat; }

} // namespace tricks
